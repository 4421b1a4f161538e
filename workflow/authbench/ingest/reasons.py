"""Why rows make no document, and the settings that decide it. Other reasons are those of an entry's `drop`."""

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
    """Return a reason of ingestion as a message gives it."""
    return REASONS.get(reason, f"as {reason} (drop)")
