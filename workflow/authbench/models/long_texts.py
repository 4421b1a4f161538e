"""Split texts that are longer than a model reads.

Consecutive whole sentences are packed while they fit; a sentence that exceeds the limit is cut at it. The text's vector
is the plain mean of its parts' vectors (STEB paper, appendix F).
"""

from collections.abc import Sequence

# Sentence, its first token and one past its last: what one part takes of it.
Piece = tuple[int, int, int]


def pack(sentence_tokens: Sequence[int], limit: int) -> list[list[Piece]]:
    """Return the parts of a text whose sentences have that many tokens, each part of at most `limit` tokens.

    >>> pack([4, 4, 4], 10)
    [[(0, 0, 4), (1, 0, 4)], [(2, 0, 4)]]
    """
    parts: list[list[Piece]] = []
    room = 0
    for sentence, tokens in enumerate(sentence_tokens):
        if tokens > limit:
            parts += [[(sentence, first, min(first + limit, tokens))] for first in range(0, tokens, limit)]
            room = 0
        elif tokens:
            if tokens > room:
                parts.append([])
                room = limit
            parts[-1].append((sentence, 0, tokens))
            room -= tokens
    return parts
