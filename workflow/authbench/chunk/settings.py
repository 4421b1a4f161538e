"""Check the settings of chunking."""

from collections.abc import Iterator

from authbench.registry.entries import Settings


def chunk_problems(config: Settings) -> Iterator[str]:
    chunk = config["chunk"]
    shortest, longest = chunk["extra_long_tokens"]
    if not chunk["remainder_tokens"] <= chunk["min_tokens"] <= chunk["max_tokens"] < shortest <= longest:
        yield "chunk: expected remainder_tokens <= min_tokens <= max_tokens < extra_long_tokens in order"
