"""Resolve labels to persons, and make the identifiers of records, origins and authors."""

from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from authbench.build.ingest import authors
from authbench.build.ingest.aliases import Aliases
from authbench.build.ingest.persons import PersonKeys, canonical_name, keys_of
from authbench.config.registry.source_entry import FULL, Author
from authbench.core.author_labels import MIN_CHARACTERS, PLACEHOLDERS, folded, refusal
from authbench.core.identity import author_id, digest, fold_space
from authbench.release.reading.characters import has_half, whole_characters

HALF_CHARACTER = "half_character"  # reason to drop a row: its author or raw id is ambiguous
OF_A_CHUNK = "#chunk_"  # a raw id that contains it could equal the key of another text's chunk


class Person(NamedTuple):
    """The person named by a label: the label folded, and the author's id, or why there is none."""

    label: str
    author_id: str
    refusal: str | None


@dataclass(frozen=True)
class Identities:
    """The identifiers of a source: authors' in its `space`, origins' in its `tag`; with a `key` they are HMACs.

    `of_people` says that a label is a person's, so that one with several names is of several people.
    """

    tag: str
    space: str
    key: bytes | None
    placeholders: frozenset[str]
    min_characters: int | None
    names: str | None = None
    of_people: bool = False
    aliases: Aliases = field(default_factory=dict, hash=False)

    @lru_cache(maxsize=1 << 16)  # noqa: B019  (one for each source that a process reads)
    def person(self, written: str) -> Person:
        """Return the person of a label; a label with half a character is refused, as it could name several people."""
        if has_half(written):
            return Person("", "", HALF_CHARACTER)
        label = folded(whole_characters(written))
        why = refusal(label, self.placeholders, self.min_characters)
        return Person(label, "" if why else author_id(self.space, label, self.key), why)

    def work(self, person: Person, work: str) -> Person:
        """Return the author id of a work, or of the label of its texts; it differs from every label's id."""
        named = f"work {whole_characters(work)}" if work else f"label {person.label}"
        return person._replace(author_id=author_id(f"{self.space}/work", named, self.key))

    def known(self, person: Person, name: str, lang: str, work: bool) -> tuple[str, PersonKeys | None]:
        """Return the author's id and name keys; the name is the label, or `name` if the label is only a number.

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
        """Return the keys of a name; None if labels are not names, or this label is not."""
        name = canonical_name(label, lang) if self.names else None
        if name is None:
            return None
        if self.names == FULL and (known := self.aliases.get(lang, {}).get(name.whole)):
            name = known._replace(life=name.life)
        return keys_of(name, lang, self.key)

    def record(self, raw_id: str, person: Person, text: str, date: str | None) -> str:
        """Return the identifier of a record: its raw id, unless that is missing or would reveal the author."""
        if not raw_id:
            return digest(person.author_id, text, date or "")
        if authors.hides(raw_id, person.label) or OF_A_CHUNK in raw_id:
            return authors.concealed(f"{self.space}/id", raw_id, self.key)
        return raw_id

    def origin(self, origin: str) -> str:
        """Return the identifier of the work or raw document that a text is part of."""
        return authors.concealed(f"{self.tag}/origin", whole_characters(origin), self.key)

    def item(self, item: str | None) -> str | None:
        """Return the identifier of the item that a text reviews."""
        return item and authors.concealed(f"{self.tag}/item", fold_space(item), self.key)

    def account(self, account: str | None) -> str | None:
        """Return the identifier of the account behind a label."""
        return account and authors.concealed(f"{self.space}/account", fold_space(account), self.key)


def make_identities(tag: str, author: Author, key: bytes | None, aliases: Aliases) -> Identities:
    """Return the identifiers of a source with this `author` section in its entry."""
    shortest = author.min_characters or (MIN_CHARACTERS if author.names else None)
    names_nobody = PLACEHOLDERS if author.placeholders is None else author.placeholders
    nobody = frozenset(map(str.casefold, names_nobody))
    of_people = author.kind == "person" or author.names is not None
    return Identities(tag, author.space or tag, key, nobody, shortest, author.names, of_people, aliases)
