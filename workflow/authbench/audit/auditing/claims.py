"""List the claims that an audit tests, and define its findings."""

from collections.abc import Mapping
from dataclasses import dataclass, field

LEAKS, LABELS, TEXTS, FORM = "leaks", "labels", "texts", "form"  # kinds of claims
# Claims by name: the kind, and what is wrong if the claim is broken. An old document is the kept one of a pair.
CLAIMS: Mapping[str, tuple[str, str]] = {
    "exact_copy": (LEAKS, "the same text again, but for white space"),
    "disguised_copy": (LEAKS, "the same text again, but for case, width, digits or characters without a sign"),
    "near_copy": (LEAKS, "nearly the same text again (Jaccard similarity of 5-grams of characters at least .8)"),
    "similar_across_splits": (LEAKS, "much the same text in another split (similarity at least .7)"),
    "contained_text": (
        LEAKS,
        "two texts of 500 characters or more share 30 % of the passages (24 characters) of the shorter",
    ),
    "author_in_splits": (LEAKS, "an author has texts in several splits"),
    "work_in_splits": (LEAKS, "texts of one work are in several splits"),
    "ids_tell": (LEAKS, "neighbours in the order of ids or lines are by one author more often than by chance"),
    "two_labels": (LABELS, "a text is known under two labels"),
    "one_person": (LABELS, "two labels share three texts of 100 letters or more: possibly one person"),
    "impure_label": (LABELS, "two texts of a label are by two accounts in more than one pair of five"),
    "label_variants": (
        LABELS,
        "a label is spelled in several ways: numbers as floats, white space, marks without a sign",
    ),
    "several_languages": (LABELS, "an author writes in several languages"),
    "self_doubled": (TEXTS, "a text holds itself twice"),
    "language": (TEXTS, "a text is in another language than it says"),
    "script": (TEXTS, "the letters of a text are not those of its language"),
    "no_letters": (TEXTS, "a text without a letter"),
    "not_normal": (TEXTS, "a text is not in normal form: NFC, plain white space, no control characters"),
    "personal_data": (TEXTS, "an e-mail address, a link, a handle or a telephone number stands in a text"),
    "token_length": (TEXTS, "the number of tokens is not that of cl100k_base"),
    "unreadable_rows": (FORM, "a row cannot be read: what is in it was not examined"),
    "repeated_id": (FORM, "an id stands for several documents"),
    "unknown_answer": (FORM, "an answer is no candidate"),
    "unasked_truth": (FORM, "an answer to no query or problem of the dataset"),
    "answer_by_another": (FORM, "an answer is by another author than the query"),
    "missing_answer": (FORM, "a candidate by the query's author is neither answer nor ignored"),
    "query_without_answer": (FORM, "a query without an answer"),
    "single_text": (FORM, "an author with a single text in a split"),
    "no_author": (FORM, "a document without an author"),
    "wrong_truth": (FORM, "a pair's answer contradicts its authors"),
    "repeated_pair": (FORM, "two problems ask about the same two texts"),
    "one_class": (FORM, "authors whose problems all have one answer, more of them than by chance"),
}


@dataclass(frozen=True)
class Case:
    """A case that breaks a claim.

    Attributes:
        ids: the documents, for copies the old document first; or the author or problem concerned.
        note: a number or a few words, without text of the dataset.
        splits: of the documents.
        old: the first id, if it is the document that is kept.
    """

    ids: tuple[str, ...]
    note: str = ""
    splits: tuple[str, ...] = ()
    old: str | None = None

    def as_dict(self) -> dict[str, object]:
        plain: dict[str, object] = {"ids": list(self.ids)}
        if self.note:
            plain["note"] = self.note
        if self.splits:
            plain["splits"] = list(self.splits)
        return plain if self.old is None else plain | {"old": self.old}


@dataclass(frozen=True)
class Finding:
    """All cases of a claim."""

    claim: str
    cases: tuple[Case, ...] = field(default=())

    @property
    def kind(self) -> str:
        return CLAIMS[self.claim][0]

    @property
    def ids(self) -> list[str]:
        """Return every id of every case, without repetition."""
        return list(dict.fromkeys(ident for case in self.cases for ident in case.ids))

    def as_dict(self) -> dict[str, object]:
        ids = self.ids
        return {
            "claim": self.claim,
            "kind": self.kind,
            "about": CLAIMS[self.claim][1],
            "count": len(ids),
            "ids": ids,
            "cases": [case.as_dict() for case in self.cases],
        }
