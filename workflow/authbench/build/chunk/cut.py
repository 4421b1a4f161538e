"""Cut long documents into chunks.

A text over the limit becomes segments that end at paragraphs, else sentences, else lines, words or graphemes (AuthBench
paper, A.4; processing plan, section 10). A share of the segments has 501-2,000 tokens, which lets long texts fill the
bucket extra_long as well. All segments are kept up to the cap of chunks per document; beyond it, they are selected by
hash before tokenisation.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import polars as pl
import regex

from authbench.build.chunk.sentences import SPACE_END, last_sentence_start, sentence_starts
from authbench.config.settings.chunk import Chunk
from authbench.core.arrays import BOOL, F64, I32, I64
from authbench.core.identity import keyed_hash, uniform
from authbench.core.records import DOCUMENT, length_bucket_expr
from authbench.core.tokens import Tokenizer, Tokens, token_characters

Places = I64
NEWLINE = regex.compile("\n")
NOWHERE: Places = np.array([], dtype=np.int64)

# Letters of every Unicode version that the tokeniser may know, before a character that is not a letter.
END_OF_LETTERS = (
    r"[A-Za-zÀ-ÖØ-öø-ɏ\u0400-\u0481\u048a-\u04ff\u0620-\u064a\u0904-\u0939ぁ-ゖァ-ヺ\u4e00-\u9fa5가-힣]\P{L}"
)
LETTERS_END = regex.compile(END_OF_LETTERS)
LAST_LETTERS_END = regex.compile("(?r)" + END_OF_LETTERS)
GRAPHEME = regex.compile(r"\X")
WHOLE_BYTES = 60_000  # a longer text is cut into windows first, and only as many are tokenised as the cap requires
WINDOW_BYTES = 12_000
TYPICAL_FILL = 0.85  # the average fill of a segment: it ends at an earlier paragraph or sentence


@dataclass(frozen=True)
class _Stretch:
    """A tokenised part of a text: its end, the place of each token, and the places where it may be cut."""

    start: int
    end: int
    tokens: Places
    paragraphs: Places
    lines: Places
    seams: Places  # between parts that were tokenised separately


@dataclass(frozen=True)
class _Segment:
    start: int
    end: int
    tokens: int


@dataclass(frozen=True)
class _Text:
    """A normalised text with runs of line breaks reduced to a single break, and its places in the original."""

    doc_key: str
    content: str
    paragraphs: Places  # where paragraphs begin, except the first
    removed: Places  # line breaks left out up to each of them

    def original(self, place: int) -> int:
        before = int(self.paragraphs.searchsorted(place, side="right"))
        return place + (int(self.removed[before - 1]) if before else 0)


def chunk_records(
    records: pl.DataFrame, tokenizer: Tokenizer, settings: Chunk, seed: int, final_newline: bool = False
) -> tuple[pl.DataFrame, dict[str, int]]:
    """Cut normalised RECORD rows into DOCUMENT rows, in the order of the records and their text.

    Texts of at most `max_tokens` are kept whole, as is a longer text that fits a single extra-long segment:
    `chunk_start` and `chunk_end` are null. Chunk k of any other text has the key `{doc_key}#chunk_{k}` and its span of
    characters in the normalised text. `content` has single line breaks, and one at its end if `final_newline`;
    `token_length` is counted on it.

    Returns the documents, and for each source how many documents have more chunks than `max_chunks_per_document`.
    """
    most = settings["max_tokens"]
    texts = records["content"].str.replace_all("\n\n+", "\n")
    sizes = texts.str.len_bytes().to_numpy()
    lengths = np.full(records.height, most + 1, dtype=np.int32)
    whole = np.ones(records.height, dtype=np.bool_)
    pieces: list[tuple[int, str, str, int, int, int]] = []
    over_cap: dict[str, int] = {}
    encoded = np.flatnonzero(sizes <= WHOLE_BYTES)
    lengths[encoded], longer = tokenizer.encode_longer(texts[encoded], most)
    tokens_of = {int(encoded[place]): tokens for place, tokens in longer.items()}
    for row in np.flatnonzero(lengths > most).tolist():
        content, doc_key = texts[row], records["doc_key"][row]
        text = _Text(doc_key, content, *_paragraph_starts(records["content"][row]))
        segments, over = _cut_text(text, int(sizes[row]), tokens_of.get(row), tokenizer, settings, seed)
        if over:
            source = records["source"][row]
            over_cap[source] = over_cap.get(source, 0) + 1
        if segments == [_Segment(0, len(content), segments[0].tokens)]:
            lengths[row] = segments[0].tokens
            continue
        whole[row] = False
        for number, segment in enumerate(segments):
            piece = content[segment.start : segment.end]
            begin = segment.start + len(piece) - len(piece.lstrip(" \n"))
            piece = piece.strip(" \n")
            span = text.original(begin), text.original(begin + len(piece) - 1) + 1
            pieces.append((row, f"{doc_key}#chunk_{number}", piece, *span, segment.tokens))
    documents = _documents_of(records, texts, lengths, whole, pieces)
    return with_final_newline(documents, tokenizer) if final_newline else documents, over_cap


def _documents_of(
    records: pl.DataFrame,
    texts: pl.Series,
    lengths: I32,
    whole: BOOL,
    pieces: Sequence[tuple[int, str, str, int, int, int]],
) -> pl.DataFrame:
    """Return DOCUMENT rows in the order of the records.

    The `whole` records have `texts` and `lengths` in tokens; the others have `pieces` (row of the record, key, content,
    start, end, tokens).
    """
    shape = {"row": pl.Int64, "doc_key": pl.String, "content": pl.String}
    shape |= {"chunk_start": pl.Int64, "chunk_end": pl.Int64, "token_length": pl.Int32}
    uncut = pl.DataFrame({"doc_key": records["doc_key"], "content": texts, "token_length": lengths}).select(
        pl.int_range(pl.len(), dtype=pl.Int64).alias("row"),
        "doc_key",
        "content",
        pl.lit(None, pl.Int64).alias("chunk_start"),
        pl.lit(None, pl.Int64).alias("chunk_end"),
        "token_length",
    )
    cut = pl.DataFrame(pieces, schema=shape, orient="row")
    parts = pl.concat([uncut.filter(whole), cut]).sort("row", maintain_order=True) if pieces else uncut
    return (
        records.drop("doc_key", "content")[parts["row"]]
        .hstack(parts.drop("row"))
        .with_columns(
            pl.col("content").str.len_chars().cast(pl.Int32).alias("char_length"),
            length_bucket_expr("token_length").alias("length_bucket"),
        )
        .select(DOCUMENT.names())
    )


def with_final_newline(documents: pl.DataFrame, tokenizer: Tokenizer) -> pl.DataFrame:
    """Return DOCUMENT rows of which each text ends with a line break, counted again (AuthBench paper, A.6)."""
    ended = documents.with_columns(pl.col("content") + "\n", char_length=pl.col("char_length") + 1)
    return ended.with_columns(
        token_length=pl.Series(tokenizer.count(ended["content"]), dtype=pl.Int32),
    ).with_columns(length_bucket=length_bucket_expr("token_length"))


def _paragraph_starts(text: str) -> tuple[Places, Places]:
    """Return the starts of paragraphs, except the first, after each run of line breaks is reduced to a single break.

    The second value is the number of line breaks that are left out up to each of them.
    """
    starts, ends, end = [], [], 0
    while (start := text.find("\n\n", end)) >= 0:
        end = start + 2
        while text.startswith("\n", end):
            end += 1
        starts.append(start)
        ends.append(end)
    after = np.array(ends, dtype=np.int64)
    extra = (after - np.array(starts, dtype=np.int64) - 1).cumsum()
    return after - extra, extra


def _cut_text(
    text: _Text, size: int, tokens: Tokens | None, tokenizer: Tokenizer, settings: Chunk, seed: int
) -> tuple[list[_Segment], bool]:
    """Return the segments of a text of `size` bytes, at most `max_chunks_per_document`, and whether there were more.

    Without `tokens` (of the whole text), the text is tokenised in windows, only as many as the segments need.
    """
    content, limit = text.content, settings["max_chunks_per_document"]
    if tokens is not None:
        stretch = _read_stretch(text, tokenizer, 0, len(content), tokens)
        segments = list(_cut_stretch(text, stretch, tokenizer, settings, seed))
    else:
        bounds = _windows(text, max(1, WINDOW_BYTES * len(content) // size))
        order = sorted(range(len(bounds)), key=lambda n: keyed_hash(seed, "window", text.doc_key, str(bounds[n][0])))
        stretches: dict[int, _Stretch] = {}
        segments = []
        for number in order:
            stretches[number] = _read_stretch(text, tokenizer, *bounds[number])
            found = list(_cut_stretch(text, stretches[number], tokenizer, settings, seed))
            segments += found[:-1] if found[-1].tokens < settings["remainder_tokens"] else found
            if len(segments) >= limit:
                break
        if len(stretches) < len(bounds):
            return _spread(segments, text, limit, seed), True
        joined = _join_stretches([stretches[number] for number in range(len(bounds))])
        segments = list(_cut_stretch(text, joined, tokenizer, settings, seed))
    return (_spread(segments, text, limit, seed), True) if len(segments) > limit else (segments, False)


def _spread(segments: Sequence[_Segment], text: _Text, limit: int, seed: int) -> list[_Segment]:
    """Return the `limit` segments with the smallest hashes, in the order of the text."""
    ranked = sorted(segments, key=lambda s: keyed_hash(seed, "chunk", text.doc_key, str(text.original(s.start))))
    return sorted(ranked[:limit], key=lambda segment: segment.start)


def _windows(text: _Text, size: int) -> list[tuple[int, int]]:
    """Return consecutive spans of about `size` characters that begin at paragraphs, else lines, sentences, words."""
    content, spans, start = text.content, [], 0
    while len(content) - start > size * 5 // 4:
        low, aim, high = start + size * 3 // 4, start + size, start + size * 5 // 4
        near = text.paragraphs[slice(*text.paragraphs.searchsorted([low, high]))]
        if len(near):
            end = int(near[np.abs(near - aim).argmin()])
        elif (line := content.find("\n", aim, high)) >= 0:
            end = line + 1
        else:
            end = next(sentence_starts(content, aim, high), 0) or _last_space(content, low, high)
            end = end or _last_grapheme(content, start, high)
        spans.append((start, end))
        start = end
    return [*spans, (start, len(content))]


def _read_stretch(text: _Text, tokenizer: Tokenizer, start: int, end: int, tokens: Tokens | None = None) -> _Stretch:
    content = text.content[start:end]
    if tokens is None:
        tokens = tokenizer.encode(content)
    begun, within = token_characters()
    places: Places = np.cumsum(begun[tokens], dtype=np.int64) - within[tokens] - 1 + start
    lines = np.array([line.end() for line in NEWLINE.finditer(content)], dtype=np.int64) + start
    first, last = text.paragraphs.searchsorted([start, end], side="right")
    return _Stretch(start, end, places, text.paragraphs[first:last], lines, NOWHERE)


def _join_stretches(parts: Sequence[_Stretch]) -> _Stretch:
    """Merge adjacent stretches. Each border keeps the break type, if any, of the later stretch."""

    def joined(name: str) -> Places:
        return np.concatenate([getattr(part, name) for part in parts])

    return _Stretch(
        start=parts[0].start,
        end=parts[-1].end,
        tokens=joined("tokens"),
        paragraphs=joined("paragraphs"),
        lines=joined("lines"),
        seams=np.array([part.start for part in parts[1:]], dtype=np.int64),
    )


def _cut_stretch(
    text: _Text, stretch: _Stretch, tokenizer: Tokenizer, settings: Chunk, seed: int
) -> Iterator[_Segment]:
    """Fill segments greedily; the hash of document and start decides which may be extra long."""
    shortest, longest = settings["extra_long_tokens"]
    chances = extra_long_chances(shortest, longest, settings["extra_long_share"], settings["max_tokens"])
    start = stretch.start
    while start < stretch.end:
        first = int(stretch.tokens.searchsorted(start))
        left = len(stretch.tokens) - first
        low, room, bound = settings["min_tokens"], settings["max_tokens"], settings["max_tokens"]
        if left > settings["max_tokens"]:
            identity = (text.doc_key, str(text.original(start)))
            if uniform(seed, "segment", *identity) < chances[min(left, len(chances) - 1)]:
                low, bound = shortest, longest
                room = shortest + int(uniform(seed, "length", *identity) * (longest - shortest + 1))
        while True:
            end = stretch.end if left <= room else _last_place(text.content, stretch, start, first, low, room)
            tokens = _count_span(text.content, stretch, tokenizer, start, end)
            if tokens <= bound or end <= start + 1:
                break
            used = int(stretch.tokens.searchsorted(end)) - first
            room = max(1, min(room, used) - (tokens - bound))
            low = min(low, room)
        while end < stretch.end and text.content[end] in " \n":
            end += 1
        yield _Segment(start, end, tokens)
        start = end


def _count_span(content: str, stretch: _Stretch, tokenizer: Tokenizer, start: int, end: int) -> int:
    """Return the tokens of content[start:end] without the white space at its ends, exactly.

    The tokeniser never joins text before the end of a run of letters with the text after it. Between the first and the
    last such place, the tokens are therefore the stretch's, and only the ends are encoded again.
    """
    while content[end - 1] in " \n" and end > start + 1:
        end -= 1
    while content[start] in " \n" and start < end - 1:
        start += 1
    first = LETTERS_END.search(content, start, end)
    last = LAST_LETTERS_END.search(content, start, end)
    first_seam, last_seam = stretch.seams.searchsorted([start, end])
    if first is None or last is None or first_seam < last_seam:
        return len(tokenizer.encode(content[start:end]))
    head, tail = first.start() + 1, last.start() + 1
    inside = int(stretch.tokens.searchsorted(tail) - stretch.tokens.searchsorted(head))
    return len(tokenizer.encode(content[start:head])) + inside + len(tokenizer.encode(content[tail:end]))


def _last_place(content: str, stretch: _Stretch, start: int, first: int, low: int, room: int) -> int:
    """Return the end of a segment that begins at `start`, after `low` to `room` tokens.

    The end is a paragraph that leaves the segment at least half full, else a sentence, a line, a word, a grapheme. Only
    a grapheme larger than the room is cut.
    """
    high = max(int(stretch.tokens[first + room]), start + 1)

    def after(tokens: int) -> int:
        return int(stretch.tokens[first + tokens - 1]) + 1

    def last(places: Places, least: int) -> int:
        before = int(places.searchsorted(high, side="right"))
        return int(places[before - 1]) if before and places[before - 1] >= least else 0

    half, least = after(max(low, room // 2)), after(low)
    return (
        last(stretch.paragraphs, half)
        or last_sentence_start(content, stretch.start, least, high)
        or last(stretch.lines, least)
        or _last_space(content, half, high)
        or _last_grapheme(content, start, high)
    )


def _last_space(content: str, low: int, high: int) -> int:
    """Return the last place in low..high after white space (and not inside a grapheme), or 0."""
    place = high
    while (place := max(content.rfind(" ", low - 1, place), content.rfind("\n", low - 1, place))) >= low - 1 >= 0:
        if SPACE_END.match(content, place):
            return place + 1
    return 0


def _last_grapheme(content: str, start: int, high: int) -> int:
    """Return the last grapheme boundary after `start` up to `high`; `high` if a single grapheme fills it."""
    place = start
    for found in GRAPHEME.finditer(content, start, min(high + 1, len(content))):
        if found.end() > high:
            break
        place = found.end()
    return place if place > start else high


@cache
def extra_long_chances(shortest: int, longest: int, share: float, limit: int) -> F64:
    """Return the probability that a segment is extra long, by the number of tokens left (the last for any more).

    If more than `limit` tokens are left, the expected share of them in extra-long segments is `share`, near the end of
    a text too. With p the chance, x and n the tokens that an extra-long and an ordinary segment take, r those left and
    S(r) = share * r (0 up to the limit): S(r) = p (x + S(r - x)) + (1 - p) S(r - n).
    """
    aims = np.arange(shortest, longest + 1)
    typical = np.maximum(shortest, TYPICAL_FILL * aims)
    ordinary = TYPICAL_FILL * limit

    def expected(left: F64) -> F64:
        return np.where(left > limit, share * left, 0.0)

    chances = np.zeros(4 * longest)
    for some in np.array_split(np.arange(limit + 1, len(chances)), 64):
        left = some[:, None].astype(np.float64)
        taken = np.where(aims >= left, left, np.minimum(typical, left))
        extra = (taken + expected(left - taken)).mean(axis=1)
        without = expected((some - ordinary).astype(np.float64))
        chances[some] = ((share * some - without) / (extra - without)).clip(0.0, 1.0)
    return chances
