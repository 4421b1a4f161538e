"""Find the ends of sentences.

Rules for the ten languages: terminators, closing quotes that belong to them, and abbreviations and initials that do not
end a sentence. A miss costs little: a chunk ends at another sentence.
"""

from collections.abc import Iterator

import regex

# A cut before one of these would be inside a grapheme (a combining mark, a joiner, a vowel sign).
NOT_INSIDE = r"(?![\p{GCB=Extend}\p{GCB=ZWJ}\p{GCB=SpacingMark}])"
CLOSERS = r"""(?:["'”’»›)\]」』）》〉】｣]|\ »(?=[\s,.;:!?)—–-]|\Z))*+"""
CLOSERS_BEFORE_SPACE = CLOSERS.replace("[", "[“‘", 1)  # German quotes close with the sign that opens English ones
SENTENCE_END = regex.compile(
    rf"""(?:(?<![.!?…‥।॥؟۔])[.!?…‥।॥؟۔]++{CLOSERS_BEFORE_SPACE}(?=\s)
       | (?<![。！？｡．।॥؟۔])[。！？｡．।॥؟۔]++[…‥]*+{CLOSERS}
       | (?<![!?…‥])[!?…‥]++{CLOSERS}(?=[\p{{Han}}\p{{Hiragana}}\p{{Katakana}}「『“])
     )\s*+{NOT_INSIDE}""",
    regex.VERBOSE,
)
SPACE_END = regex.compile(rf"\s{NOT_INSIDE}")
WORD_BEFORE = regex.compile(r"(?:\p{L}\p{M}*+\.)*+[\p{L}\p{M}]{1,12}+\Z|(?<!\d)\d{1,2}\Z")
INITIALS = regex.compile(r"(?:\p{L}\p{M}*+\.)++\p{L}{1,2}|[\p{Latin}\p{Cyrillic}]|\d{1,2}")
# en, de, fr, es, ru; in lower case, without the last stop
ABBREVIATION_LIST = (
    "mr mrs ms dr prof st sr jr rev hon gen col capt lt sgt vs vol no nos fig figs ch pp ed eds etc al cf ca approx"
    " inc ltd co dept jan feb mar apr jun jul aug sep sept oct nov dec"
    " hr fr bzw usw nr bd bde hrsg vgl evtl ggf geb gest sog inkl str abs art kap anm aufl jh jhs"
    " mm mme mmes mlle mlles me mgr tom chap env av bd"
    " sra srta ud uds vd vds dn dña fray gral núm pág págs cap excmo"
    " г гг в вв т тт тыс млн млрд руб коп стр см напр проф акад ул д кв им р св гр"
)
LONGEST_END = 64  # characters of stops, closing quotes and white space before a sentence; more are rare
FIRST_PIECE = 256
LONGEST_INITIALS = 2  # letters after the last of the stops between initials
ABBREVIATIONS = frozenset(ABBREVIATION_LIST.split())


def sentence_starts(text: str, start: int, end: int) -> Iterator[int]:
    """Yield the places in text[start:end] at which a sentence has just ended and the next begins.

    >>> text = 'Mr. Li came. "Who?" he asked. Nobody.'
    >>> [text[i:i + 3] for i in sentence_starts(text, 0, len(text))]
    ['"Wh', 'Nob']
    """
    for found in SENTENCE_END.finditer(text, start, end):
        place = found.end()
        if place >= end or text[place].islower():
            continue
        stop = found.start()
        if text[stop] == "." and text[stop + 1] in " \n" and _is_abbreviation(text[max(0, stop - 24) : stop]):
            continue
        yield place


def last_sentence_start(text: str, start: int, low: int, high: int) -> int:
    """Return the last of `sentence_starts` of text[start:] in low..high, or 0.

    The search goes backwards in pieces, as the place is usually near the end.
    """
    first, piece = max(start, low - LONGEST_END), FIRST_PIECE
    while True:
        begin = max(first, high - piece)
        places = sentence_starts(text, begin, min(high + 2, len(text)))
        last = max((place for place in places if place <= high), default=0)
        if last >= low:
            return last
        if begin == first:
            return 0
        piece *= 4


def _is_abbreviation(before: str) -> bool:
    last = before.rpartition("\n")[2].rpartition(" ")[2]
    if len(last) > LONGEST_INITIALS and last.isalpha():
        return last.lower() in ABBREVIATIONS
    word = WORD_BEFORE.search(before)
    return word is not None and (word[0].lower() in ABBREVIATIONS or INITIALS.fullmatch(word[0]) is not None)
