"""Commands on the statement of a release: make and sign it, and rebuild the release from it."""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from authbench.app.cli.command import Command, expect_with, many, path, whole_number
from authbench.core.printable import printable

if TYPE_CHECKING:
    from authbench.publish.attestation.reproduce import Outcome

_KEY = "PEM file of an ed25519 key without a password (openssl genpkey -algorithm ed25519 -out key.pem)"


def _cores(text: str) -> str:
    return text if text == "all" else str(whole_number(text))


def _attest_arguments(parser: argparse.ArgumentParser) -> None:
    path(parser, "release RELEASE_DIR", "directory of a finished release")
    path(
        parser,
        "--out FILE",
        "the statement, in an envelope where it is signed (default: RELEASE_DIR.intoto.json); its signatures stay",
    )
    path(parser, "--key FILE", f"private key that signs: {_KEY}; extra `attest`")


def attest(arguments: argparse.Namespace) -> int:
    from authbench.config.registry.sources import find_sources
    from authbench.core.errors import InputError
    from authbench.core.storage.atomic import write_text
    from authbench.publish.attestation.statement import make_statement, read_envelope, sign, statement_bytes
    from authbench.release.format.release import read_manifest

    out = arguments.out or _beside(arguments.release)
    tags = read_manifest(arguments.release).get("config", {}).get("sources") or ()
    entries = {tag: source.entry for tag, source in find_sources(tags).items()}
    statement = make_statement(arguments.release, entries)
    payload = statement_bytes(statement)
    before, envelope = read_envelope(out) if out.is_file() else (statement, None)
    if before != statement and (envelope or arguments.key):
        raise InputError(f"{out} is the statement of another release, or of other entries. Name another --out.")
    signed = sign(payload, arguments.key, envelope) if arguments.key else envelope
    if signed:
        write_text(out, json.dumps(signed, indent=1) + "\n")
        print(f"Statement with {len(signed['signatures'])} signatures: {out}")
    else:
        write_text(out, payload.decode())
        print(f"Statement, not signed: {out}")
    return 0


def _verify_arguments(parser: argparse.ArgumentParser) -> None:
    path(parser, "release RELEASE_DIR", "directory of the release")
    path(parser, "--raw DIR", "directory of the raw files; without it only files and signatures count")
    path(parser, "--statement FILE", "what attest wrote (default: RELEASE_DIR.intoto.json)")
    many(
        parser,
        "--key FILE",
        "public key that must have signed (openssl pkey -pubout); may be given several times; extra `attest`",
        type=Path,
    )
    path(parser, "--files DIR", "directory of files that settings name: word list, takedown, lock")
    parser.add_argument("--cores", type=_cores, default="all", metavar="N", help="cores of the build, default: all")
    path(parser, "--countersign FILE", f"private key that signs, too, if reproduced: {_KEY}")


def verify(arguments: argparse.Namespace) -> int:
    """Return 0 if the release was reproduced byte for byte, 1 if something differs, 2 if that cannot be decided."""
    from authbench.app.cli.build import snakemake_command
    from authbench.build.safety.detoxify_scorer import ONLY_WEIGHTS
    from authbench.core.shipped import shipped
    from authbench.core.storage.atomic import write_text
    from authbench.publish.attestation.reproduce import Outcome, differences, reproduce
    from authbench.publish.attestation.statement import read_envelope, sign, statement_bytes, unsigned_by

    expect_with(arguments, "--raw", "--files", "--countersign")
    path = arguments.statement or _beside(arguments.release)
    statement, envelope = read_envelope(path)
    if missing := unsigned_by(envelope, arguments.key):
        return _tell(Outcome(1, tuple(f"{path} is not signed by {key}, or not rightly" for key in missing)))
    if envelope and not arguments.key:
        print(f"authbench: no --key was given: who signed {path} is not known", file=sys.stderr)
    if found := differences(statement, arguments.release):
        return _tell(Outcome(1, tuple(f"{arguments.release}: {one}" for one in found)))
    if arguments.raw is None:
        print("The files are those of the statement. Add --raw DIR to rebuild them from the raw files.")
        return 2

    def build(folder: Path, targets: Sequence[str]) -> tuple[int, str]:
        profile = ("--workflow-profile", str(shipped("project/profiles/default")))
        command = snakemake_command(["--cores", arguments.cores, *profile, *targets], folder)
        # modules in the folders of others' files are not imported, and their checkpoints never unpickled in full
        surroundings = {**os.environ, "PYTHONSAFEPATH": "1", ONLY_WEIGHTS: "1"}
        done = subprocess.run(
            command, cwd=folder, env=surroundings, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        return done.returncode, done.stdout

    payload, key = statement_bytes(statement), arguments.countersign
    signed = sign(payload, key, envelope) if key else None  # a key of another kind is refused before the build
    outcome = reproduce(statement, arguments.raw, build, arguments.files, arguments.release)
    if outcome.status == 0 and signed:
        write_text(path, json.dumps(signed, indent=1) + "\n")
    return _tell(outcome)


def _tell(outcome: "Outcome") -> int:
    for reason in outcome.reasons:
        print(printable(reason))
    print(("Reproduced, byte for byte.", "It differs.", "Whether it can be reproduced is not known.")[outcome.status])
    return outcome.status


def _beside(release: Path) -> Path:
    return release.with_name(f"{release.resolve().name}.intoto.json")


COMMANDS = {
    "release attest": Command("state what a release was made of (in-toto), and sign it", _attest_arguments, attest),
    "release verify": Command(
        "rebuild a release from its statement",
        _verify_arguments,
        verify,
        negative="a signature, a file or the release differs from the statement",
    ),
}
