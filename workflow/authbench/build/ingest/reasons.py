"""List the reasons why rows make no document, and the related settings; an entry's `drop` adds further reasons."""

REASONS = {
    "other_language": "in other languages (fields.lang, ingest.other_languages)",
    "missing_field": "without a field (fields.genre, ingest.required)",
    "no_author": "without an author (fields.author)",
    "placeholder_author": "by a label that names nobody (fields.author, author.placeholders)",
    "empty_text": "without text (fields.text, clean)",
    "bad_row": "unreadable (reader)",
    "unmatched_quote": "with an unmatched quotation mark (reader.quoting)",
}


def reason_in_words(reason: str) -> str:
    """Return an ingestion reason as worded in messages."""
    return REASONS.get(reason, f"as {reason} (drop)")
