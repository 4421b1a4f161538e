"""What is planted beside the ordinary documents? (first stones; more follow)"""

from collections.abc import Iterator

BOOK_SENTENCES = {("spanish_pd_books", 0, 0): 2300}


def few_documents(source: str) -> Iterator[tuple[str, int, int]]:
    for lang in ("en", "es", "fr", "ru", "de", "ar", "ja", "ko", "hi", "zh"):
        for number in range(60, 64):
            yield lang, number, 1 + number % 2


def exorde(shelf, ledger, row, rows):
    return []


def babel_briefings(shelf, ledger, row):
    return []


def amazon_multi(shelf, ledger, row):
    return [], {}


def blog_dirt(text, number, place):
    return text


def blog_encode(text, codec, number, name, ledger):
    return text.encode(codec, "replace")


def blog_authorship(shelf, ledger, blog_file):
    return {}


def arxiv(shelf, ledger, row, wrapped, count):
    return [], {}


def xiaohongshu(shelf, ledger, row):
    return []


def douban(shelf, ledger, row):
    return []


def hindi_discourse(records, key, shelf, ledger):
    return None


def books(source, shelf, ledger, rows, row):
    return []


def arabic_poetry(ledger, row, poem):
    return []
