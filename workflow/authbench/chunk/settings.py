"""Check the settings of chunking."""

from collections.abc import Iterator

from authbench.chunk.retag import read_retags
from authbench.registry.checks import unreadable_file
from authbench.settings.config import Config


def chunk_problems(config: Config) -> Iterator[str]:
    chunk = config["chunk"]
    shortest, longest = chunk["extra_long_tokens"]
    if not chunk["remainder_tokens"] <= chunk["min_tokens"] <= chunk["max_tokens"] < shortest <= longest:
        yield "chunk: expected remainder_tokens <= min_tokens <= max_tokens < extra_long_tokens in order"
    yield from unreadable_file("chunk.retag", chunk["retag"], read_retags)
