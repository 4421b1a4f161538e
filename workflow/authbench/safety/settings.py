"""Check the settings of the toxicity scorers."""

from collections.abc import Iterator
from importlib import util
from pathlib import Path

from authbench.registry.checks import missing_file, missing_folder, unknown_genre, unreadable_file
from authbench.settings.config import Config


def safety_problems(config: Config) -> Iterator[str]:
    safety = config["safety"]
    for pattern in safety["exempt_genres"]:
        yield from unknown_genre("safety.exempt_genres", pattern)
    yield from unreadable_file("safety.wordlist.extra", safety["wordlist"]["extra"], _read_lists)
    detoxify = safety["detoxify"]
    yield from missing_file("safety.detoxify.checkpoint", detoxify["checkpoint"])
    yield from missing_folder("safety.detoxify.huggingface_config_path", detoxify["huggingface_config_path"])
    if "detoxify" in safety["scorers"] and util.find_spec("detoxify") is None:
        yield "safety.scorers: detoxify is not installed; run: pip install 'authbench[toxicity]', or take wordlist"


def _read_lists(path: str) -> object:
    from authbench.safety.wordlist import read_word_lists

    return read_word_lists(Path(path))
