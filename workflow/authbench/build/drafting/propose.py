"""Propose which field of a corpus is what, with the evidence: counts, and examples only of what names nobody."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

import regex

from authbench.build.drafting.sample import Sample
from authbench.config.languages import languages
from authbench.config.registry.expressions import Expression
from authbench.config.registry.readers import ChatReader, CsvReader, MboxReader
from authbench.core.errors import InputError
from authbench.core.printable import printable
from authbench.core.records import PRIMARY_GENRES, is_language_code, primary_genre
from authbench.release.reading.column_names import NAMES, TOPICS, guess_columns

Identify = Callable[[Sequence[str]], Sequence[str]]  # the language of each text
Ask = Callable[[str, Sequence[str]], str]  # a question and the possible answers
Kind = Literal["person", "account"]
Found = tuple[Expression, str]  # a field, and the evidence: of authors only counts
FIELDS = ("content", "author", "id", "date", "lang", "genre", "topic")
LANGUAGE_TEXTS, LANGUAGE_CHARACTERS = 100, 500  # texts whose language is identified, and how much of each is read
FEWEST = 3  # authors of several texts, one for each of train, dev and test
_FEWEST_CHARACTERS, _TIMES_LONGER = 40, 3  # of a text: on average, and than the next field
_MOST = 0.9  # share of values from which a form counts as theirs
_LONGEST_EXAMPLE, _LONGEST_NAME = 30, 100
_ISO = r"^\d{4}-\d\d-\d\d"
_DATES = (
    "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%Y/%m/%d", "%d-%m-%Y", "%Y%m%d", "%d.%m.%y", "%d/%m/%y", "%m/%d/%y",
    "%d-%m-%y", "%d.%m.%Y %H:%M", "%d.%m.%Y %H:%M:%S", "%d/%m/%Y %H:%M", "%m/%d/%Y %H:%M", "%d %B %Y", "%B %d, %Y",
    "%d %b %Y", "%a, %d %b %Y %H:%M:%S %z", "%a %b %d %H:%M:%S %z %Y",
)  # fmt: skip
_OF_A_NAMED_FIELD = ("%Y", "unix", "unix_ms")  # any number may be one
_SECONDS = {"unix": (1e8, 4e9), "unix_ms": (1e11, 4e12)}  # 1973 to 2096
_AUTHORS = {"folder": r"(?:^|/)(?P<author>[^/]+)/[^/]+$", "name": r"(?:^|/)(?P<author>[^/_]+)_[^/]*$"}


@dataclass(frozen=True)
class Proposal:
    """What an entry says of the fields of a corpus.

    Attributes:
        found: the expressions, each with its evidence, by our names of fields.
        notes: what is not proposed, and why.
        kind: of the author labels.
        repeated: number of authors with several different texts.
        path_fields: the pattern of a path that names the author, or empty.
    """

    found: Mapping[str, Found]
    notes: Sequence[str]
    kind: Kind
    repeated: int
    path_fields: str = ""


def propose(sample: Sample, given: Mapping[str, str], genre: str, identify: Identify, ask: Ask) -> Proposal:
    """Return the proposal for a sample.

    Args:
        given: the names of fields that the user knows, by ours (`FIELDS`).
        genre: what texts are called whose genre no field tells.
        ask: asks for a field that cannot be told; may raise InputError.
    """
    if sample.layout:
        if given:
            raise InputError("--column: plain texts have no fields. Leave it out.")
        return _of_texts(sample, genre, identify)
    columns, chosen = sample.columns, _chosen(sample, given, ask)
    texts, authors = columns[chosen["content"]], columns[chosen["author"]]
    found: dict[str, Found] = {
        "text": (chosen["content"], _sizes(texts)),
        "author": (chosen["author"], _counts(authors)),
    }
    notes = list[str]()
    secrets = {one.casefold() for one in authors if one}
    for ours in ("id", "date", "topic"):
        if one := _metadata(ours, chosen, columns, authors, secrets, ours in given):
            found[ours] = one
        elif ours in chosen:
            notes.append(f"{printable(chosen[ours])} is not taken as {ours}: {_REASONS[ours]}.")
    if isinstance(sample.reader, MboxReader | ChatReader) and "id" in found:
        found["id"] = {"field": "id", "hash": True}, found["id"][1]  # it names the sender's host, or the other person
    if isinstance(sample.reader, ChatReader) and (left_out := Counter(filter(None, columns["left_out"]))):
        told = ", ".join(f"{number:,} {reason}" for reason, number in left_out.most_common())
        notes.append(f"{left_out.total():,} messages are not their sender's words, and are dropped: {told}.")
    found["lang"] = _language(chosen.get("lang"), columns, texts, identify)
    stated = chosen.get("genre")
    found["genre"] = (stated, _counts(columns[stated])) if stated is not None else ({"const": genre}, _NO_GENRE)
    used = {one.get("field") if isinstance(one, Mapping) else one for one, _ in found.values()}
    unused = [name for name in columns if name not in used]
    if unused and not isinstance(sample.reader, MboxReader | ChatReader):
        notes.append(f"Not used: {_listed(unused)}; --column OURS=NAME takes a field.")
    return Proposal(found, notes, _kind(authors), _repeated(authors, texts))


def _chosen(sample: Sample, given: Mapping[str, str], ask: Ask) -> dict[str, str]:
    """Return the names of a sample's fields, by ours; the text and the author have one with values."""
    columns = sample.columns
    if isinstance(sample.reader, CsvReader) and any(len(name) > _LONGEST_NAME for name in columns):
        raise InputError("The first line holds a text, no names of fields. Put a line of names before it.")
    for ours, theirs in given.items():
        if theirs not in columns:
            raise InputError(f"--column {ours}={theirs}: there is no such field. There are {_listed(columns)}.")
    chosen = guess_columns(list(columns), given, {ours: {**NAMES, **TOPICS}[ours] for ours in FIELDS})
    if "genre" in chosen and not _are_genres(columns[chosen["genre"]]):
        chosen.setdefault("topic", chosen.pop("genre"))
    if "content" not in chosen:
        chosen["content"] = _longest(columns, set(chosen.values())) or ask(
            "content", _free(columns, chosen) or list(columns)
        )
    if "author" not in chosen:
        chosen["author"] = ask("author", _free(columns, chosen) or list(columns))
    for ours, key in (("text", "content"), ("author", "author")):
        if not any(columns[chosen[key]]):
            raise InputError(f"The field of the {ours}, {_listed([chosen[key]])}, has no value: --column {ours}=NAME.")
    return chosen


_NO_GENRE = "no field tells it"
_REASONS = {
    "id": "its values are not distinct",
    "date": "no one form of a date, day or month first, fits 90 % of its values",
    "topic": "each value has one author, or nearly each text its own, so it would tell the author or the text",
}


def _of_texts(sample: Sample, genre: str, identify: Identify) -> Proposal:
    """Return the proposal for plain texts, whose paths name the authors."""
    pattern = _AUTHORS[sample.layout or "name"]
    named = [regex.search(pattern, below) for below in sample.parts]
    authors = [one["author"] if one else None for one in named]
    if None in authors:
        raise InputError("Some names of files begin with _, and name no author. Expected Author_Title.txt.")
    spaced = any("_" in (one or "") for one in authors) and not any(" " in (one or "") for one in authors)
    texts = sample.columns["text"]
    if not any(texts):
        raise InputError("The texts are empty.")
    how = "the folder of a file" if sample.layout == "folder" else "what is before _ in the name of a file"
    author: Expression = {"field": "author", "replace": {"_": " "}} if spaced else "author"
    found: dict[str, Found] = {
        "text": ("text", _sizes(texts)),
        "author": (author, f"{how}: {_counts(authors)}"),
        "id": ({"field": "path", "hash": True}, "the path of the file, hashed as it names the author"),
        "lang": _language(None, {}, texts, identify),
        "genre": ({"const": genre}, _NO_GENRE),
    }
    spaced_authors = [one.replace("_", " ") for one in authors if one]
    of_part = dict(zip(sample.parts, authors, strict=True))
    repeated = _repeated([of_part[part] for part in sample.columns["part"] if part], texts)
    return Proposal(found, [], _kind(spaced_authors), repeated, pattern)


def _free(columns: Iterable[str], chosen: Mapping[str, str]) -> list[str]:
    return [name for name in columns if name not in chosen.values()]


def _longest(columns: Mapping[str, Sequence[str | None]], taken: set[str]) -> str:
    """Return the field whose values are by far the longest; empty if there is none."""
    lengths = sorted(
        ((_mean_length(values), name) for name, values in columns.items() if name not in taken), reverse=True
    )
    if not lengths or lengths[0][0] < _FEWEST_CHARACTERS:
        return ""
    return lengths[0][1] if len(lengths) == 1 or lengths[0][0] >= _TIMES_LONGER * lengths[1][0] else ""


def _metadata(
    ours: str,
    chosen: Mapping[str, str],
    columns: Mapping[str, Sequence[str | None]],
    authors: Sequence[str | None],
    secrets: set[str],
    given: bool,
) -> Found | None:
    """Return the expression of an optional field and its evidence; None if no field fits."""
    names = [chosen[ours]] if ours in chosen else [] if ours == "topic" else _free(columns, chosen)
    for name in names:
        values = columns[name]
        expression: Expression | None = name
        if ours == "id":
            expression = name if given or _is_id(values) else None
        elif ours == "date":
            expression = _date(name, values, ours in chosen)
        elif not given and not _is_topic(values, authors):
            expression = None
        if expression is not None:
            example = "" if ours == "id" else _example(values, secrets)
            form = f", {expression['date']}" if isinstance(expression, Mapping) else ""
            return expression, f"{_counts(values)}{form}{example}"
    return None


def _is_id(values: Sequence[str | None]) -> bool:
    short = all(one is not None and len(one) <= _FEWEST_CHARACTERS for one in values)
    return short and len(values) > 1 and len(set(values)) == len(values)


def _is_topic(values: Sequence[str | None], authors: Sequence[str | None]) -> bool:
    """Return whether several authors write on a value, and a value has several texts."""
    by_value: dict[str, set[str | None]] = {}
    for value, author in zip(values, authors, strict=True):
        if value is not None:
            by_value.setdefault(value, set()).add(author)
    filled = sum(one is not None for one in values)
    return 2 * len(by_value) <= filled and any(len(one) > 1 for one in by_value.values())


def _date(name: str, values: Sequence[str | None], named: bool) -> Expression | None:
    """Return the expression of a date by the only form that fits most values; None if none does, or two differ."""
    filled = [one.strip() for one in values if one]
    if not filled:
        return None
    if _fits(filled, lambda one: _day(one[:10], "%Y-%m-%d") if regex.match(_ISO, one) else None):
        return {"field": name, "match": _ISO, "date": "%Y-%m-%d"}
    fitting = {}
    for form in (*_DATES, *(_OF_A_NAMED_FIELD if named else ())):
        if days := _fits(filled, lambda one, form=form: _day(one, form)):  # type: ignore[misc]
            fitting[form] = days
    forms = list(fitting)
    if not forms or any(fitting[one] != fitting[forms[0]] for one in forms):
        return None
    return {"field": name, "date": forms[0]}


def _fits(values: Sequence[str], day: Callable[[str], str | None]) -> list[str | None]:
    """Return the days of values if most have a day, else an empty list."""
    days = [day(one) for one in values]
    return days if sum(one is not None for one in days) >= _MOST * len(days) else []


def _day(value: str, form: str) -> str | None:
    try:
        if form in _SECONDS:
            least, most = _SECONDS[form]
            return value if least <= float(value) <= most else None
        return datetime.strptime(value, form).date().isoformat()  # noqa: DTZ007  (a day)
    except ValueError:
        return None


def _language(
    field: str | None, columns: Mapping[str, Sequence[str | None]], texts: Sequence[str | None], identify: Identify
) -> Found:
    """Return a field of codes or names of languages, or the most frequent language by langid."""
    if field is not None and (values := {one for one in columns[field] if one}):
        if all(map(is_language_code, values)):
            return field, _counts(columns[field])
        codes = {language.name.casefold(): code for code, language in languages().items()}
        if all(one.casefold() in codes for one in values):
            named = {one: codes[one.casefold()] for one in sorted(values)}
            return {"field": field, "map": named}, _counts(columns[field])
    filled = [one for one in texts if one]
    some = filled[:: max(1, -(-len(filled) // LANGUAGE_TEXTS))]
    counts = Counter(identify([one[:LANGUAGE_CHARACTERS] for one in some])).most_common()
    told = ", ".join(f"{lang} {number}" for lang, number in counts[:5])
    return {"const": counts[0][0] if counts else "en"}, f"langid: {told} of {len(some)} texts"


def _are_genres(values: Sequence[str | None]) -> bool:
    return all(one is None or primary_genre(one) in PRIMARY_GENRES for one in values) and any(values)


def _kind(authors: Sequence[str | None]) -> Kind:
    """Return `person` where most labels are of two words or more, as names of people are."""
    labels = {one for one in authors if one}
    several = sum(bool(regex.search(r"\p{L}\S*[\s,]+\S*\p{L}", one)) and "@" not in one for one in labels)
    return "person" if 2 * several > len(labels) else "account"


def _filled(values: Sequence[str | None]) -> str:
    return f"{sum(one is not None for one in values):,} of {len(values):,} have it"


def _sizes(texts: Sequence[str | None]) -> str:
    return f"{_filled(texts)}, {_mean_length(texts):,.0f} characters on average"


def _counts(values: Sequence[str | None]) -> str:
    texts = Counter(one for one in values if one is not None)
    often = sum(number >= 3 for number in texts.values())
    return f"{_filled(values)}, {len(texts):,} distinct, {often:,} of them three times or more"


def _repeated(authors: Sequence[str | None], texts: Sequence[str | None]) -> int:
    different = {(author, text) for author, text in zip(authors, texts, strict=True) if author and text}
    return sum(number > 1 for number in Counter(author for author, _ in different).values())


def _mean_length(values: Sequence[str | None]) -> float:
    lengths = [len(one) for one in values if one]
    return sum(lengths) / len(lengths) if lengths else 0.0


def _example(values: Sequence[str | None], secrets: set[str]) -> str:
    """Return an example of the values that neither is long nor shares a word with an author's label; empty if none."""
    words = {word for label in secrets for word in regex.findall(r"[\p{L}\p{N}]+", label)}
    for value in values:
        if value and len(value) <= _LONGEST_EXAMPLE:
            own = set(regex.findall(r"[\p{L}\p{N}]+", value.casefold()))
            if not own & words:
                return f", e.g. {printable(value)}"
    return ""


def _listed(columns: Iterable[str]) -> str:
    return ", ".join(printable(name[:40]) for name in columns)[:400]
