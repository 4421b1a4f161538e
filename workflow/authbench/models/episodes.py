"""Run checkpoints that read several texts at once: an episode, which their code turns into one vector (LUAR).

The parts of a long text are the texts of its episode, so they are pooled as the checkpoint was trained to, not by a
mean. The checkpoint's code takes token ids and a mask of shape (episodes, texts, tokens) and returns (episodes,
dimensions).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from authbench.models.cache import F32

BATCH_TOKENS = 4_096  # of a batch, including padding


class EpisodeCheckpoint:
    """A checkpoint with its tokenizer, in evaluation mode."""

    def __init__(self, place: str, device: str, loading: Mapping[str, object], hub: Mapping[str, object]) -> None:
        from transformers import AutoModel, AutoTokenizer

        self.tokenizer = AutoTokenizer.from_pretrained(place, **hub)
        self.model = AutoModel.from_pretrained(place, **loading, **hub).to(device)
        self.device = device

    def eval(self) -> None:
        self.model.eval()

    def embed(self, parts: Sequence[Sequence[int]], owners: Sequence[int], texts: int) -> F32:
        """Return a vector per text from the token ids of its parts (texts x dimensions)."""
        of_text: list[list[Sequence[int]]] = [[] for _ in range(texts)]
        for part, owner in zip(parts, owners, strict=True):
            of_text[owner].append(part)
        vectors: F32 = np.empty((0, 0), np.float32)
        for rows in _batches(of_text):
            found = self._forward([of_text[row] for row in rows])
            if not len(vectors):
                vectors = np.empty((texts, found.shape[1]), np.float32)
            vectors[rows] = found
        return vectors

    def _forward(self, episodes: Sequence[Sequence[Sequence[int]]]) -> F32:
        import torch

        longest = max(len(part) for episode in episodes for part in episode)
        ids = torch.full((len(episodes), len(episodes[0]), longest), self.tokenizer.pad_token_id or 0)
        mask = torch.zeros_like(ids)
        for row, episode in enumerate(episodes):
            for place, part in enumerate(episode):
                ids[row, place, : len(part)] = torch.tensor(part)
                mask[row, place, : len(part)] = 1
        forward: Callable[..., Any] = self.model
        with torch.inference_mode():
            found = forward(input_ids=ids.to(self.device), attention_mask=mask.to(self.device))
        rows: F32 = (found[0] if isinstance(found, tuple) else found).float().cpu().numpy()
        return rows


def _batches(of_text: Sequence[Sequence[Sequence[int]]]) -> Iterator[list[int]]:
    """Yield the texts of each batch, with equally many parts of similar length, the longest first."""
    order = sorted(
        range(len(of_text)), key=lambda row: (-len(of_text[row]), -max(map(len, of_text[row])), list(of_text[row]))
    )
    batch: list[int] = []
    for row in order:
        if batch:
            parts, longest = len(of_text[batch[0]]), max(map(len, of_text[batch[0]]))
            if len(of_text[row]) != parts or (len(batch) + 1) * parts * longest > BATCH_TOKENS:
                yield batch
                batch = []
        batch.append(row)
    if batch:
        yield batch
