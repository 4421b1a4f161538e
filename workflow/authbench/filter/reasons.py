"""Map reasons of filters to the settings by which they drop a text."""

SETTINGS = {
    "too_short": "filter.min_tokens",
    "too_long": "filter.max_tokens",
    "wrong_script": "filter.script",
    "wrong_language": "filter.language",
    "no_letters": "filter",
    "too_many_symbols": "filter.symbols",
    "symbol_run": "filter.symbol_run",
    "too_few_letters": "filter.alphabetic",
    "repeated_characters": "filter.repeated_run",
    "few_distinct_words": "filter.unique_words",
    "dominant_word": "filter.dominant_word",
    "few_words_with_letters": "filter.alphabetic_words",
    "single_letters": "filter.single_letter_words",
    "single_letter_run": "filter.single_letter_run",
    "too_many_posts": "filter.posts_per_day",
    "template_texts": "filter.template_share",
    "mostly_quoted": "filter.quoted_share",
}
