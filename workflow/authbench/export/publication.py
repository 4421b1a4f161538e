"""Read a publisher's statements about a benchmark: version, date, creators, contact, URL, publisher, DOI."""

from pathlib import Path
from typing import cast

from authbench.errors import InputError
from authbench.registry.defaults import default_settings
from authbench.registry.entries import read_yaml, schema_problems
from authbench.settings.config import Config
from authbench.settings.publish import Publish

_NO_CONTACT = "whoever gave you this copy (its publisher has set no `publish.contact`)"


def contact(about: Publish) -> str:
    """Return the contact for readers."""
    return about["contact"] or _NO_CONTACT


def read_publication(path: Path | None) -> Publish:
    """Return the `publish:` section of a file of settings over the defaults.

    Raises:
        InputError: the section does not fit its schema.
    """
    usual = default_settings()
    own = (read_yaml(path).get("publish") or {}) if path else {}
    about = {**usual["publish"], **own}
    found = schema_problems({**usual, "publish": about}, Config)
    if problems := [problem for section, problem in found if section == "publish"]:
        raise InputError(f"{path}:\n" + "\n".join(f"  - {problem}" for problem in problems))
    return cast(Publish, about)
