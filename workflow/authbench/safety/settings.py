"""Check the settings of the toxicity scorers."""

from collections.abc import Iterator
from importlib import util

from authbench.registry.checks import missing_file, unknown_genre
from authbench.registry.entries import Settings


def safety_problems(config: Settings) -> Iterator[str]:
    safety = config["safety"]
    for pattern in safety["exempt_genres"]:
        yield from unknown_genre("safety.exempt_genres", pattern)
    yield from missing_file("safety.wordlist.extra", safety["wordlist"]["extra"])
    for name in ("checkpoint", "huggingface_config_path"):
        yield from missing_file(f"safety.detoxify.{name}", safety["detoxify"][name])
    if "detoxify" in safety["scorers"] and util.find_spec("detoxify") is None:
        yield "safety.scorers: detoxify is not installed; run: pip install 'authbench[toxicity]', or take wordlist"
