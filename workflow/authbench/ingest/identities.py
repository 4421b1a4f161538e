"""Whom a label names, and the identifiers of records, origins and authors."""

from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from authbench.author_labels import MIN_CHARACTERS, PLACEHOLDERS, folded, refusal
from authbench.identity import author_id, digest, fold_space
from authbench.ingest import authors
from authbench.ingest.aliases import Aliases
from authbench.ingest.persons import PersonKeys, canonical_name, keys_of
from authbench.reading.characters import has_half, whole_characters
from authbench.registry.source_entry import FULL, Author

HALF_CHARACTER = "half_character"  # why a row goes whose author or raw id may be another one
OF_A_CHUNK = "#chunk_"  # a raw id that holds it could be the key of another text's chunk


class Person(NamedTuple):
    """Whom a label names: the label folded, the author's id, or why it names nobody."""

    label: str
    author_id: str
    refusal: str | None


@dataclass(frozen=True)
class Identities:
    """The identifiers of a source: authors' are of its `space`, origins' of its `tag`; with a `key` they are HMACs."""

    tag: str
    space: str
    key: bytes | None
    placeholders: frozenset[str]
    min_characters: int | None
    names: str | None = None
    aliases: Aliases = field(default_factory=dict, hash=False)

    @lru_cache(maxsize=1 << 16)  # noqa: B019  (one for each source that a process reads)
    def person(self, written: str) -> Person:
        """Return whom a label names; one with half a character could be any of several people's."""
        if has_half(written):
            return Person("", "", HALF_CHARACTER)
        label = folded(whole_characters(written))
        why = refusal(label, self.placeholders, self.min_characters)
        return Person(label, "" if why else author_id(self.space, label, self.key), why)

    def work(self, person: Person, work: str) -> Person:
        """Return the author that a work, or else the label of its texts, stands for; no label has its id."""
        named = f"work {whole_characters(work)}" if work else f"label {person.label}"
        return person._replace(author_id=author_id(f"{self.space}/work", named, self.key))

    def known(self, person: Person, name: str, lang: str, work: bool) -> tuple[str, PersonKeys | None]:
        """Return the author's id and the keys of his name: the label, or `name` where the label is a mere number.

        A `work` has no name.
        """
        if self.names is None or work:
            return person.author_id, None
        if not any(map(str.isalpha, person.label)):
            return person.author_id, self.keys(name, lang)
        keys = self.keys(person.label, lang)
        return keys.author_id if keys and self.names == FULL else person.author_id, keys

    @lru_cache(maxsize=1 << 16)  # noqa: B019
    def keys(self, label: str, lang: str) -> PersonKeys | None:
        """Return the keys of a name; None where labels are no names, or this one is none."""
        name = canonical_name(label, lang) if self.names else None
        if name is None:
            return None
        if self.names == FULL and (known := self.aliases.get(lang, {}).get(name.whole)):
            name = known._replace(life=name.life)
        return keys_of(name, lang, self.key)

    def record(self, raw_id: str, person: Person, text: str, date: str | None) -> str:
        """Return the identifier of a record: its raw id, unless that is none or would give the author away."""
        if not raw_id:
            return digest(person.author_id, text, date or "")
        if authors.hides(raw_id, person.label) or OF_A_CHUNK in raw_id:
            return authors.concealed(f"{self.space}/id", raw_id, self.key)
        return raw_id

    def origin(self, origin: str) -> str:
        """Return the identifier of the work or raw document that a text was cut from."""
        return authors.concealed(f"{self.tag}/origin", whole_characters(origin), self.key)

    def item(self, item: str | None) -> str | None:
        """Return the identifier of what a text reviews."""
        return item and authors.concealed(f"{self.tag}/item", fold_space(item), self.key)

    def account(self, account: str | None) -> str | None:
        """Return the identifier of the account behind a label."""
        return account and authors.concealed(f"{self.space}/account", fold_space(account), self.key)


def make_identities(tag: str, author: Author, key: bytes | None, aliases: Aliases) -> Identities:
    """Return the identifiers of a source whose entry has this section `author`."""
    shortest = author.min_characters or (MIN_CHARACTERS if author.names else None)
    names_nobody = PLACEHOLDERS if author.placeholders is None else author.placeholders
    nobody = frozenset(map(str.casefold, names_nobody))
    return Identities(tag, author.space or tag, key, nobody, shortest, author.names, aliases)
