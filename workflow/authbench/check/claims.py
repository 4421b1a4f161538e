"""The claims of a sound release."""

from typing import NamedTuple

CLAIMS = {
    "schema": "every row has the fields of its file, each of its type, none empty and none else",
    "id_form": "ids are `doc_` and six or more digits",
    "author_form": "an author_id is 64 lower-case hexadecimal digits",
    "repeated_id": "an id stands for one document, in one split",
    "files": "the files are those of the format, and plain files",
    "checksum": "the files are those of SHA256SUMS",
    "looser_settings": "settings are no looser than config.yaml's; what --config FILE states is granted",
    "content_form": "content is in its normal form N: NFC, plain white space, no control or zero-width characters",
    "personal_data": "no content holds personal data of a kind that the release masks",
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
    "unexplained_ignored": "a text is ignored for what it shares with the query, as its author's for origin or kind, "
    "or with all by an author who ignores the query's",
    "work_in_truth": "no query or positive is by an author of kind `work`, or not scored",
    "short_query": "a query has min_letters_for_query letters, of which one in Han or Kana counts as two",
    "too_many_queries": "an author gives at most queries_per_author queries in a split",
    "query_of_small_author": "queries are of authors with min_documents_for_query documents in the split",
    "missing_query": "every author with enough documents gives as many queries as asked for",
    "provenance": "provenance.parquet has one row per document, and they agree",
    "provenance_column": "provenance.parquet has no column of text but the known ones",
    "provenance_form": "values of provenance.parquet have the form of their column: a vocabulary, a digest, a date",
    "raw_name": "no topic or group holds the label that its author's pseudonym is the digest of",
    "author_space": "an author's documents are from sources that share their authors",
    "licence": "licences and tiers are the manifest's, and tier B stays B",
    "measures": "no document's measurements, toxicity or length is beyond the thresholds",
    "false_measures": "provenance.parquet states the measurements that the texts have",
    "admitted": "languages and kinds of authors are those of the settings",
    "lock": "release.lock gives every document its id and every author its split",
    "takedown": "what is said to be taken down is absent, and as many as the lock and the funnel say",
    "quota": "sampling_deviation.json has the settings' targets, and counts the documents that are there",
    "statistics": "statistics/*.csv count the documents, authors and queries that are there",
    "funnel": "funnel.csv adds up, from what came in to what is released",
    "manifest": "manifest.json counts the documents, authors and queries that are there",
    "warnings": "manifest.json warns of what limits the release",
    "figures": "figures/*.svg are drawn from statistics/*.csv and funnel.csv",
    "report": "report.html says what the release and its manifest say",
}


class Finding(NamedTuple):
    """One place where a claim (`code`) does not hold: an id or a file, and what was found there."""

    code: str
    id: str
    note: str = ""
