"""Convert a text to its normal form.

N(·) of the AuthBench paper (A.1): Unicode NFC, no control characters, uniform white space, after undoing the source's
markup.

Undo HTML entities and tags.

A pass drops comments, the contents of script and style elements, and HTML tags (other angle brackets, as in `<3` or
`<grin>`, are kept), then decodes entities. Doubly escaped text needs two passes. Every step is linear in the length of
the text.

Unify marks of an edition: typography chosen by a publisher, which is not the author's style.

In edited texts, spacing around punctuation, forms of quotation marks, dashes and ellipses, and line numbering vary by
edition; they are unified. Punctuation of pre-modern Arabic is entirely the editor's and is removed. Unedited texts are
never changed.
"""

import html
import re
import unicodedata
from collections import defaultdict
from functools import cache

import regex

from authbench.core.nfc import class_of, compose

QUOTES = dict.fromkeys("«»„“”‟〝〞＂", '"') | dict.fromkeys("‘’‚‛‹›`´", "'")
PLACEHOLDER = r"\[[A-Z]{3,8}\]"  # [NAME] and the placeholders of personal data
ARABIC = regex.compile(rf"({PLACEHOLDER})|[\p{{P}}\p{{S}}]+")
ANY = ("",)
# Pattern, replacement, and strings of which every text with a match contains at least one.
_Step = tuple[re.Pattern[str], str, tuple[str, ...]]
INSIDE: _Step = (re.compile(r"(?<=[«„‹]) +(?=\S)|(?<=\S) +(?=[»›])"), "", ("«", "„", "‹", "»", "›"))  # « so »
STEPS: tuple[_Step, ...] = tuple(
    (re.compile(pattern, re.MULTILINE), plain, hints)
    for pattern, plain, hints in (
        (
            r"(?<=[^\s,.;:!?…(\[—-]) +(?=[,.;:!?…]+(?:[\s\"')\]]|$))",  # so ! and so ;
            "",
            (" ,", " .", " ;", " :", " !", " ?", " …"),
        ),
        (r"(?<=[(\[]) +(?=\S)|(?<=\S) +(?=[)\]])", "", ("( ", "[ ", " )", " ]")),
        (r"\.(?: ?\.){2,}", "…", ("..", ". .")),
        (r"-{2,}|―", "—", ("--", "―")),
        (r"^[-–—] ?(?=\S)", "— ", ("-", "–", "—")),
        (r"(?<=\S) [-–—] (?=\S)", " — ", (" - ", " – ", " — ")),
        (r"^[(\[]?(\d{1,3}|[IVXLC]{1,7})[)\].:]{1,2}(?= |$)", r"\1.", ANY),  # (1), 1), 1: and 1.
        (r"^[-–—*]? ?(\d{1,3}|[IVXLC]{1,7}) ?[-–—*]?$", r"\1.", ANY),  # a line with only a number
    )
)
SPACES: _Step = (re.compile(" {2,}"), " ", ("  ",))
ENDS: _Step = (re.compile(r"^ +| +$", re.MULTILINE), "", (" \n", "\n "))  # of lines within a text


def unify(text: str, lang: str) -> str:
    """Return a normalised edited text with publisher's choices unified; it may be empty.

    >>> unify("« Tiens ! » dit-il . . . -- Non ;", "fr")
    '"Tiens!" dit-il… — Non;'
    >>> unify("قفا، نبك: [NAME] !", "ar")
    'قفا نبك [NAME]'
    """
    if lang == "ar":
        text = ARABIC.sub(r"\1 ", text)
    else:
        text = _take(text, INSIDE)
        for mark, plain in QUOTES.items():
            text = text.replace(mark, plain)
        for step in STEPS:
            text = _take(text, step)
    return _take(_take(text, SPACES), ENDS).strip()


def _take(text: str, step: _Step) -> str:
    pattern, plain, hints = step
    return pattern.sub(plain, text) if any(hint in text for hint in hints) else text


NAMES = {
    "\n\n": "p h1 h2 h3 h4 h5 h6 blockquote ul ol dl table pre hr article section",
    "\n": "br div li dt dd tr caption header footer main nav aside address figure figcaption form fieldset legend"
    " option title head body html center details summary",
    " ": "td th",
    "": "a abbr acronym applet area audio b base basefont bdi bdo big button canvas cite code col colgroup data"
    " datalist del dfn dialog dir em embed font frame frameset i iframe img input ins kbd label link map mark"
    " marquee menu meta meter nobr noframes noscript object optgroup output param picture progress q rp rt rtc"
    " ruby s samp script select slot small source span strike strong style sub sup svg template textarea tbody"
    " tfoot thead time track tt u var video wbr",
}
BETWEEN = {name: separator for separator, names in NAMES.items() for name in names.split()}  # replacement by tag
OPENING = re.compile(r"<!--|<(?=[A-Za-z/!?])")
TAG = re.compile(
    r"""<(?:/?([A-Za-z][A-Za-z0-9]*+(?::[A-Za-z0-9]++)?)(?=[\s/>])(?:[^<>"']|"[^"<]*+"|'[^'<]*+'|["'])*+>"""
    r"""|[!?][A-Za-z\[][^<>]*+>)"""
)
CLOSING = {name: re.compile(rf"</{name}\s*+>", re.IGNORECASE) for name in ("script", "style")}
LEADING_ZEROS = re.compile(r"&#0++(?=[0-9])")
BEYOND_UNICODE = re.compile(r"&#(?:[0-9]{8,}+|[xX]0*+[1-9A-Fa-f][0-9A-Fa-f]{6,}+);?")


def undo_html(text: str, times: int) -> str:
    """Return the text with `times` layers of HTML undone (0: unchanged).

    Block tags become line breaks, table cells spaces; other tags are deleted.

    >>> undo_html("a<br>b &lt;3 &amp;amp; c", 1)
    'a\\nb <3 &amp; c'
    """
    for _ in range(times):
        if "<" in text:
            text = _drop_tags(text)
        if "&" in text:
            text = LEADING_ZEROS.sub("&#", text)
            text = html.unescape(BEYOND_UNICODE.sub("\ufffd", text))
    return text


def _drop_tags(text: str) -> str:
    kept: list[str] = []
    unclosed: set[str] = set()
    position = 0
    while found := OPENING.search(text, position):
        start = found.start()
        kept.append(text[position:start])
        if found.group() == "<!--":
            end = -1 if "--" in unclosed else text.find("-->", start + 4)
            if end >= 0:
                position = end + 3
                continue
            unclosed.add("--")
        tag = TAG.match(text, start)
        name = (tag[1] or "").lower() if tag else ""
        if tag is None or not (name in BETWEEN or ":" in name or not name):
            kept.append("<")
            position = start + 1
            continue
        kept.append(BETWEEN.get(name, ""))
        position = tag.end()
        if name in CLOSING and not tag.group().startswith("</") and name not in unclosed:
            closing = CLOSING[name].search(text, position)
            if closing:
                position = closing.end()
            else:
                unclosed.add(name)
    kept.append(text[position:])
    return "".join(kept)


INVISIBLE = (
    "\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f"  # control characters except tab and line breaks
    "\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff"
)
WIDE = "\t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"  # white space within a line, except the plain space
# Patterns for Python and polars that make characters and white space canonical, and their replacements.
CANONICAL = (
    ("\r\n|[\r\v\f\x85\u2028\u2029]", "\n"),
    (f"[{INVISIBLE}]", ""),
    (f"[{WIDE}][ {WIDE}]*| [ {WIDE}]+", " "),
    (" \n ?|\n ", "\n"),
    ("\n\n\n+", "\n\n"),
)
CANONICAL_STEPS = [(re.compile(pattern), plain) for pattern, plain in CANONICAL]
SOFT_HYPHEN_BREAK = re.compile(r"\xad[ \t]*+(?:\r\n?|\n)[ \t]*+(?=\S)")
LONE_SURROGATE = re.compile("[\ud800-\udfff]")
UNUSUAL_CHARACTERS = (
    "\x00-\x09\x0b-\x1f\x7f-\xa0\xad\u061c\u1680\u2000-\u200b\u200e\u200f\u2028-\u202f\u205f\u2060\u2066-\u2069"
    "\u3000\ufeff"
)
UNUSUAL_SPACING = " [ \n]|\n |\n\n\n"
UNUSUAL = re.compile(f"[{UNUSUAL_CHARACTERS}\ud800-\udfff]|{UNUSUAL_SPACING}")
CURLY_QUOTES = "‘’‚‛“”„‟"
STRAIGHT_QUOTES = str.maketrans(dict.fromkeys("‘’‚‛", "'") | dict.fromkeys("“”„‟", '"'))
CURLY = re.compile(f"[{CURLY_QUOTES}]")

HYPHENATED = regex.compile(r"(?<![\p{L}\p{M}])(\p{L}[\p{L}\p{M}]*+)-\n(\p{Ll}[\p{L}\p{M}]*+)")
SPACELESS_BREAK = regex.compile(
    r"(?<=[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\u3000-\u303f\uff00-\uffef])\n(?!\n)"
    r"(?=[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\u3000-\u303f\uff00-\uffef])"
)
INNER_BREAK = re.compile(r"(?<!\n)\n(?!\n)")


def normalize_text(text: str, html: int = 0, unwrap: bool = False, quotes: str = "keep") -> str:
    """Return N(text): equal bytes for texts that look equal to a reader.

    `html` layers of HTML are undone; `unwrap` joins hard-wrapped lines within a paragraph; `quotes` is `keep` or
    `straight` (curly to ' and \"; guillemets and corner brackets are kept). In the result, lines neither start nor end
    with white space, words are separated by a space, lines by a break and paragraphs by two. Lone surrogates become
    U+FFFD. With `html` 0, normalisation is idempotent.
    """
    if html:
        text = undo_html(text, html)
    if unwrap and "\xad" in text:
        text = SOFT_HYPHEN_BREAK.sub("", text)
    if UNUSUAL.search(text):
        text = _canonical_characters(text)
    text = text.strip(" \n")
    if unwrap and "\n" in text:
        text = _unwrap_lines(text)
    if quotes == "straight" and CURLY.search(text):
        text = text.translate(STRAIGHT_QUOTES)
    return compose(text)


def _canonical_characters(text: str) -> str:
    if LONE_SURROGATE.search(text):
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    for pattern, plain in CANONICAL_STEPS:
        text = pattern.sub(plain, text)
    return text


def _unwrap_lines(text: str) -> str:
    """Return a line per paragraph.

    A hyphen at a line end is removed only if the joined word occurs in the text itself (`exam-ple` with `example`);
    otherwise it is part of the word. Scripts without spaces are joined without a space.
    """
    if HYPHENATED.search(text):
        known = set(regex.findall(r"\p{L}[\p{L}\p{M}]*+", text))
        text = HYPHENATED.sub(lambda m: m[1] + ("" if m[1] + m[2] in known else "-") + m[2], text)
    return INNER_BREAK.sub(" ", SPACELESS_BREAK.sub("", text))


@cache
def unusual() -> str:
    """Return a polars pattern that matches where `normalize_text` changes white space or characters.

    Markup, wrapped lines, quotes and NFC are not covered.
    """
    return rf"[{UNUSUAL_CHARACTERS}]|{UNUSUAL_SPACING}|\A[ \n]|[ \n]\z"


@cache
def not_composed() -> str:
    """Return a polars pattern that matches in every text that is not in NFC.

    Such a text contains a character that NFC replaces, two neighbours that it composes, or two marks in a row, which it
    may reorder or compose with the preceding character. These characters are computed by this Python, which also
    normalises the texts.
    """
    replaced, marks, joined = set[str](), set[str](), defaultdict[str, set[str]](set)
    for character in map(chr, range(0xC0, 0x30000)):
        if unicodedata.combining(character):
            marks.add(character)
        decomposition = unicodedata.decomposition(character)
        if decomposition and not decomposition.startswith("<"):
            if not unicodedata.is_normalized("NFC", character):
                replaced.add(character)
            elif len(decomposition) > 4:
                first, second = (chr(int(code, 16)) for code in decomposition.split())
                joined[second].add(first)
    pairs = [f"{class_of(firsts)}{second}" for second, firsts in joined.items()]
    hangul = ["[\u1100-\u1112][\u1161-\u1175]", "[가-힣][\u11a8-\u11c2]"]
    return "|".join([class_of(replaced), f"{class_of(marks)}{{2}}", *pairs, *hangul])
