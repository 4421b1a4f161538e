"""What a publisher says of a benchmark: version, date, creators, contact, URL, publisher, DOI."""

from dataclasses import dataclass
from pathlib import Path

from authbench.errors import InputError
from authbench.registry.entries import read_yaml, schema_problems
from authbench.settings.config import Config
from authbench.settings.publish import Publish
from authbench.shipped import shipped

DEFAULTS = shipped("config/config.yaml")
_NO_CONTACT = "whoever gave you this copy (its publisher has set no `publish.contact`)"


@dataclass(frozen=True)
class Publication:
    """The settings under `publish:` that a card or a description repeats, and the SHA-256 that freezes a release."""

    version: str
    date: str | None
    creators: tuple[str, ...]
    contact: str
    url: str | None
    publisher: str | None = None
    doi: str | None = None
    sha256: str | None = None


def publication(settings: Publish) -> Publication:
    """Return the section `publish:` of a configuration."""
    return Publication(
        settings["version"],
        settings["date"],
        tuple(settings["creators"]),
        settings["contact"] or _NO_CONTACT,
        settings["url"],
        settings["publisher"],
        settings["doi"],
        settings["sha256"],
    )


def read_publication(path: Path | None) -> Publication:
    """Return the defaults, under what the `publish:` section of a file of settings says.

    Raises:
        InputError: the section does not fit its schema.
    """
    settings = read_yaml(DEFAULTS)
    own = (read_yaml(path).get("publish") or {}) if path else {}
    settings["publish"] |= own
    found = schema_problems(settings, Config)
    if problems := [problem for section, problem in found if section == "publish"]:
        raise InputError(f"{path}:\n" + "\n".join(f"  - {problem}" for problem in problems))
    return publication(settings["publish"])
