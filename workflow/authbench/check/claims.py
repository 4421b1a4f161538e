"""The claims of a sound release."""

from typing import NamedTuple

CLAIMS = {
    "schema": "every row has the fields of its file, each of its type, none empty and none else",
    "id_form": "ids are `doc_` and six or more digits",
    "author_form": "an author_id is 64 lower-case hexadecimal digits",
    "repeated_id": "an id stands for one document, in one split",
    "checksum": "the files are those of SHA256SUMS",
    "content_form": "content is in NFC, without control characters and without white space at its ends",
    "token_length": "token_length is the number of cl100k_base tokens of the content",
    "exact_duplicate": "no two documents have the same content",
    "near_duplicate": "no two documents are near copies",
    "leak": "no two documents of different splits are similar",
    "contained_leak": "no two long documents of different splits contain much of each other",
    "author_in_splits": "an author is in one split",
    "origin_in_splits": "a work or raw document is in one split",
    "too_few_documents": "an author has the least number of documents (per language and source) or more",
    "too_many_documents": "an author has the most documents (per language and source) or fewer",
    "query_place": "queries are among the candidates, or in the disjoint form none is",
    "query_differs": "a query says of its document what the candidates say",
    "query_without_truth": "every query has a ground truth",
    "truth_without_query": "every ground truth has a query",
    "author_mismatch": "the ground truth names the author of its query",
    "no_positive": "every query has a positive",
    "own_positive": "no query is its own positive",
    "unknown_positive": "positives are candidates of their split, each named once",
    "foreign_positive": "positives are of the query's author",
    "missing_positive": "every other candidate of the query's author is a positive or ignored",
    "wrong_ignored": "ignored ids are candidates of the split, neither the query nor a positive",
    "same_origin_positive": "positives come from another work than the query",
    "contained_positive": "no positive contains much of its query, or is contained in it",
    "unexplained_ignored": "a text is ignored for its origin, its author's kind or what it shares with the query",
    "too_many_queries": "an author gives at most queries_per_author queries in a split",
    "query_of_small_author": "queries are of authors with min_documents_for_query documents in the split",
    "missing_query": "every author with enough documents gives as many queries as asked for",
    "provenance": "provenance.parquet has one row per document, and they agree",
    "provenance_column": "provenance.parquet has no column of text but the known ones",
    "quota": "sampling_deviation.json counts the documents that are there",
    "manifest": "manifest.json counts the documents, authors and queries that are there",
}


class Finding(NamedTuple):
    """One place where a claim (`code`) does not hold: an id or a file, and what was found there."""

    code: str
    id: str
    note: str = ""
