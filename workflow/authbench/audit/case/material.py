"""Read the texts of a case, and find what may weaken a comparison: languages, lengths, quotations, equal endings."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import polars as pl

from authbench.audit.auditing.languages import LETTERS, PROBABILITY
from authbench.build.filter.language import candidates, identify
from authbench.build.filter.measure import measure_numbers
from authbench.build.normalize.ending_kernels import find_endings
from authbench.core.errors import InputError
from authbench.core.printable import printable
from authbench.core.records import LANGUAGES
from authbench.core.storage.atomic import sha256_of_file
from authbench.core.storage.raw_files import RawFile
from authbench.release.reading.foreign import encoding_of
from authbench.release.reading.plain_text import whole_text
from authbench.release.reading.rows import BadRow

_JOINT = "\n\n"  # between known texts
_QUOTED = 0.1  # share of quoted characters from which the page says so


@dataclass(frozen=True)
class Text:
    """A text of the case; `language` is langid's guess and `probability` its own estimate.

    `quoted`: the share of characters in quotation marks or quoted lines. `ending`: the last words, if another text of
    the case ends in them too.
    """

    role: str
    name: str
    sha256: str
    content: str
    characters: int
    words: int
    language: str
    probability: float
    quoted: float
    ending: str = ""


@dataclass(frozen=True)
class Material:
    """The texts of a case, the questioned first, and the language that all are compared in."""

    texts: Sequence[Text]
    language: str
    notes: Sequence[str]

    @property
    def questioned(self) -> str:
        return self.texts[0].content

    @property
    def known(self) -> str:
        """Return the known texts as one, in an order that does not depend on how they were given."""
        return joined(sorted(text.content for text in self.texts[1:]))

    def as_dict(self) -> dict[str, object]:
        """Return everything but the texts as plain values."""
        texts = [{key: value for key, value in asdict(text).items() if key != "content"} for text in self.texts]
        return {"language": self.language, "texts": texts, "notes": list(self.notes)}


def joined(texts: Sequence[str]) -> str:
    return _JOINT.join(texts)


def read_material(questioned: Path, known: Sequence[Path], encoding: str | None = None) -> Material:
    """Read the files of a case; without an encoding, as `foreign.encoding_of` finds it.

    Raises:
        InputError: a file holds no text, two texts are equal, or a text is in another language than the others.
    """
    files = [questioned, *known]
    contents = pl.Series("content", [_content(file, encoding) for file in files], pl.String)
    for file, repeated in zip(files, contents.is_duplicated(), strict=True):
        if repeated:
            raise InputError(f"{file}: another file of the case holds the same text. Expected each text once.")
    among = candidates(LANGUAGES)
    language = identify([joined(contents.to_list())], among)[0][0]
    labels, probabilities = identify(contents, among)
    numbers = measure_numbers(pl.DataFrame({"lang": [language] * len(files), "content": contents}))
    texts = [
        Text(
            "known" if place else "questioned", printable(file.name), sha256_of_file(file), content, len(content),
            numbers["words"][place], label, float(probability), numbers["quoted_share"][place] or 0.0, ending,
        )
        for place, (file, content, label, probability, ending) in enumerate(
            zip(files, contents, labels, probabilities, _shared_endings(contents), strict=True)
        )
    ]  # fmt: skip
    for text, letters in zip(texts, numbers["letters"], strict=True):
        if text.language != language and text.probability >= PROBABILITY and letters >= LETTERS:
            raise InputError(
                f"{text.name}: langid takes it for {text.language} (probability {text.probability:.2f}), and all texts "
                f"together for {language}. Expected texts in one language."
            )
    return Material(texts, language, _notes(texts, language))


def _content(file: Path, encoding: str | None) -> str:
    raw = RawFile(file, str(file), "", option="--encoding")
    text = whole_text(raw, encoding or encoding_of(raw))
    if isinstance(text, BadRow) or not text.strip():
        raise InputError(
            f"{file}: {text.reason if isinstance(text, BadRow) else 'holds no text'}. Expected plain text."
        )
    return text.strip()


def _shared_endings(contents: pl.Series) -> list[str]:
    """Return the longest ending of each text that another text has too; empty without one."""
    rows, starts, hashes = find_endings(contents)
    ends = pl.DataFrame({"row": rows, "start": starts, "hash": hashes})
    ends = ends.filter(pl.col("row").n_unique().over("hash") > 1).unique("row", keep="first", maintain_order=True)
    found = dict(ends.select("row", "start").iter_rows())
    return [
        content.encode()[found[row] :].decode().strip() if row in found else "" for row, content in enumerate(contents)
    ]


def _notes(texts: Sequence[Text], language: str) -> list[str]:
    notes = []
    if len(texts) == 2:
        notes.append("A single known text: how much its writer varies from text to text is not seen.")
    for text in texts:
        if text.language != language or text.probability < PROBABILITY:
            notes.append(f"{text.name}: its language is uncertain ({text.language}, {text.probability:.2f}).")
        if text.quoted >= _QUOTED:
            notes.append(f"{text.name}: {text.quoted:.0%} is quoted; others' words count as the writer's.")
        if text.ending:
            notes.append(f"{text.name}: ends like another text of the case ({text.ending!r}). Cut off a signature.")
    return notes
