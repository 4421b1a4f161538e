"""Make pseudonyms of authors, and pseudo-random numbers as hashes of identity: never of order, clock or worker."""

import hashlib
import hmac
import os
import unicodedata
from collections.abc import Iterable

import orjson
import polars as pl

from authbench.core.nfc import compose

SEPARATOR = "\x1f"


def author_id(author_space: str, raw_author: str, key: bytes | None = None) -> str:
    """Return the pseudonym of an author: SHA-256 hex of `space:name`, HMAC-SHA256 with a key.

    The name is NFC-normalised and its white space folded: spellings without a visible difference are the same author
    (processing plan, section 13.2).

    >>> author_id("blog", "A  B") == author_id("blog", "A B")
    True
    """
    name = f"{author_space}:{fold_space(compose(raw_author))}".encode("utf-8", "surrogatepass")
    return hmac.new(key, name, hashlib.sha256).hexdigest() if key else hashlib.sha256(name).hexdigest()


def author_key(variable: str | None) -> bytes | None:
    """Return the key of pseudonyms that an environment variable holds (`ingest.author_key_env`); None without one."""
    return os.environ[variable].encode() if variable else None


def key_mark(key: bytes | None) -> str | None:
    """Return a mark of a key that does not reveal it; None without a key."""
    return author_id("authbench", "which key", key)[:8] if key else None


def fold_space(text: str) -> str:
    """Return the text with each run of white space as a space, and none at either end."""
    return " ".join(text.split())


def digest(*parts: str) -> str:
    """Return 128 bits of SHA-256 over the parts, as hex."""
    return hashlib.sha256(SEPARATOR.join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def value_digest(field: str, value: object) -> str | None:
    """Return the digest of a field's value, which ignores case, width and white space.

    >>> value_digest("prompt", " On  War") == value_digest("prompt", "on war"), value_digest("prompt", " ")
    (True, None)
    """
    folded = "" if value is None else fold_space(unicodedata.normalize("NFKC", str(value)).casefold())
    return digest(field, folded) if folded else None


def sha256_of_text(text: str) -> str:
    """Return the SHA-256 of a text in UTF-8, as hex."""
    return hashlib.sha256(text.encode()).hexdigest()


def sha256_of_json(value: object) -> str:
    """Return the SHA-256 of a value as JSON with sorted keys, as hex."""
    return hashlib.sha256(orjson.dumps(value, option=orjson.OPT_SORT_KEYS)).hexdigest()


def keyed_hash(seed: int, *parts: str) -> int:
    """Return 64 uniform bits that depend only on the seed and the parts."""
    key = seed.to_bytes(8, "little", signed=True)
    message = SEPARATOR.join(parts).encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(message, digest_size=8, key=key).digest(), "little")


def uniform(seed: int, *parts: str) -> float:
    """Return a number in [0, 1) that depends only on the seed and the parts."""
    return (keyed_hash(seed, *parts) >> 11) / float(1 << 53)


def keyed_hashes(seed: int, purpose: str, keys: Iterable[str]) -> pl.Series:
    """Return `keyed_hash(seed, purpose, key)` of every key, as a UInt64 series."""
    return pl.Series("rank", [keyed_hash(seed, purpose, key) for key in keys], dtype=pl.UInt64)
