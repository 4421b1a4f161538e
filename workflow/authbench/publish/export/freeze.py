"""Freeze a release: record it in its recipe, to prevent another release from being published as the same version."""

import re
from pathlib import Path
from typing import cast

from authbench.config.registry.entries import default_settings, read_yaml, section_problems
from authbench.config.settings.publish import Publish
from authbench.core.errors import InputError
from authbench.core.storage.atomic import sha256_of_file, write_text
from authbench.core.storage.sha256sums import SUMS
from authbench.release.format.release import Release

_NO_CONTACT = "whoever gave you this copy (its publisher has set no `publish.contact`)"


def contact(about: Publish) -> str:
    return about["contact"] or _NO_CONTACT


def read_publication(path: Path | None) -> Publish:
    """Return the `publish:` section of a file of settings over the defaults.

    Raises:
        InputError: the section does not fit its schema.
    """
    own = (read_yaml(path).get("publish") or {}) if path else {}
    about = {**default_settings()["publish"], **own} if isinstance(own, dict) else own
    if problems := section_problems("publish", about):
        raise InputError(f"{path}:\n" + "\n".join(f"  - {problem}" for problem in problems))
    return cast(Publish, about)


_SECTION = re.compile(r"^publish:[ \t]*(?:#.*)?$", re.MULTILINE)
_DIGEST = re.compile(r"^( +)sha256:(?:[ \t]+(?:null|~))?(?=[ \t]*(?:#.*)?$)", re.MULTILINE)


def freeze(release: Release, recipe: Path) -> Publish:
    """Write the SHA-256 of a release's SHA256SUMS into its recipe as `publish.sha256`, and return the section.

    The rest of the recipe is unchanged, including comments. A recipe that already states this release is unchanged.

    Raises:
        InputError: the release is a bundle or not verified; the recipe lacks a date, states another release of this
            version, or has no section `publish` with a line per key.
    """
    if release.withheld:
        raise InputError(f"{release.folder} is a public bundle. Freeze the complete release that it was made of.")
    if release.unverified:
        raise InputError(f"{release.folder} is not verified ({release.unverified}): its checksums say nothing.")
    about = read_publication(recipe)
    if about["date"] is None:
        raise InputError(f"{recipe}: a frozen release needs publish.date, the day that it is published on.")
    found = sha256_of_file(release.folder / SUMS)
    if about["sha256"] == found:
        return about
    if about["sha256"] is not None:
        raise InputError(
            f"{recipe}: version {about['version']} is another release already, {about['sha256']}. "
            "Set publish.version to the next one (authbench release diff proposes it) and publish.sha256 to null."
        )
    before = recipe.read_text(encoding="utf-8")
    write_text(recipe, _with_digest(before, found, recipe))
    try:
        frozen = read_publication(recipe)
    except InputError:
        frozen = about
    if frozen["sha256"] != found:
        write_text(recipe, before)
        raise InputError(f"{recipe}: its section `publish` is written in another way. Set publish.sha256: {found}")
    return frozen


def _with_digest(text: str, digest: str, recipe: Path) -> str:
    section = _SECTION.search(text)
    if section is None:
        raise InputError(f"{recipe}: has no section `publish:` with a setting a line. Set publish.sha256 to {digest}.")
    following = re.compile(r"^[^\s#]", re.MULTILINE).search(text, section.end())
    head, body, rest = (
        text[: section.end()],
        text[section.end() : following.start() if following else len(text)],
        text[following.start() if following else len(text) :],
    )
    stated, times = _DIGEST.subn(rf'\g<1>sha256: "{digest}"', body, count=1)
    if not times:
        stated = f'\n  sha256: "{digest}"{body}'
    return head + stated + rest
