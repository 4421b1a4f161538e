"""State the raw files, settings, code and libraries from which a release was made.

The statement is an in-toto Statement v1 whose predicate is SLSA Provenance v1. It contains no time and no path, so
equal builds make equal statements. It contains the complete entries of the sources: with the raw files, it is all that
a build needs.

Sign a statement in a DSSE envelope with ed25519 keys, and verify signatures, without a network.

Requires the extra `attest` (securesystemslib). A private key is PEM without a password, as `openssl genpkey -algorithm
ed25519` writes it; a public key is PEM, too.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from authbench.config.registry.entries import problems_in_words
from authbench.core.errors import InputError
from authbench.core.json_values import JsonMapping, JsonObject
from authbench.core.runtime.code import closure
from authbench.core.shipped import shipped
from authbench.core.storage.atomic import sha256_of_file
from authbench.core.storage.json_files import parse_foreign_json, read_foreign_json
from authbench.core.storage.sha256sums import SUMS, read_sums
from authbench.core.version import VERSION
from authbench.release.format.deviation import DeviationRow
from authbench.release.format.files import MANIFEST
from authbench.release.format.manifest import Manifest
from authbench.release.format.release import made_of_unverified, read_deviation, read_manifest

STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE = "https://slsa.dev/provenance/v1"
BUILD_TYPE = "urn:authbench:release:v1"
# The adapters of the rules that make a release.
ADAPTERS = (
    *("ingest_source", "normalize_text", "count_endings", "find_signatures", "cut_signatures", "sign_texts"),
    *("link_texts", "compare_texts", "find_duplicates", "chunk_documents", "count_labels", "judge_labels"),
    *("measure_texts", "count_activity", "measure_authors", "apply_filters", "load_scorers", "draw_authors"),
    *("fill_reservoirs", "ask_scores", "score_texts", "find_shared_texts", "select_documents", "assign_splits"),
    *("count_survivors", "write_release", "check_release", "publish_release", "render_report"),
)


def make_statement(release: Path, sources: Mapping[str, Mapping[str, object]]) -> JsonObject:
    """Return the statement of a finished release.

    Args:
        release: a release whose files agree with its SHA256SUMS.
        sources: the config entries of its sources, by tag, as they were read for it.

    Raises:
        InputError: there are no checksums, a file differs from them, or the manifest names a source without entry.
    """
    sums, manifest = read_sums(release), read_manifest(release)
    needed = ("config", "versions", "inputs", "authbench", "skipped_sources")
    if missing := [key for key in needed if key not in manifest]:
        raise InputError(f"{release / MANIFEST}: lacks {', '.join(missing)}. Expected the manifest of a release.")
    if reason := made_of_unverified(manifest):
        raise InputError(f"{release} is not verified: it is {reason}. A statement would say more than is known.")
    if absent := sorted(set(manifest["inputs"]) - set(sources)):
        raise InputError(f"There is no config entry of {', '.join(absent)}, of which {release} holds texts.")
    if MANIFEST not in sums:
        raise InputError(f"{release / SUMS}: has no line of {MANIFEST}. Build the release anew.")
    if changed := [path for path, digest in sums.items() if _digest(release / path) != digest]:
        raise InputError(f"{release}: {', '.join(changed[:4])} is not what {SUMS} says. Build the release anew.")
    files = {**sums, SUMS: sha256_of_file(release / SUMS)}
    return {
        "_type": STATEMENT_TYPE,
        "subject": [{"name": path, "digest": {"sha256": digest}} for path, digest in sorted(files.items())],
        "predicateType": PREDICATE_TYPE,
        "predicate": {
            "buildDefinition": {
                "buildType": BUILD_TYPE,
                "externalParameters": {
                    "config": _config(manifest, read_deviation(release)),
                    "sources": {tag: sources[tag] for tag in sorted(manifest["inputs"])},
                    "skipped_sources": manifest["skipped_sources"],
                },
                "resolvedDependencies": _dependencies(manifest),
            },
            "runDetails": {"builder": {"id": BUILD_TYPE, "version": dict(manifest["versions"])}},
        },
    }


def code_digest() -> str:
    """Return the SHA-256 over the sources of all modules that the rules of a release run, in the installed package."""
    modules = {
        name or adapter: path
        for adapter in ADAPTERS
        for name, path in closure(shipped(f"scripts/{adapter}.py")).items()
    }
    digests = [[name, sha256_of_file(path)] for name, path in sorted(modules.items())]
    return hashlib.sha256(json.dumps(digests).encode()).hexdigest()


def statement_bytes(statement: Mapping[str, object]) -> bytes:
    """Return the bytes of a statement that are signed: JSON in UTF-8, with unsorted keys, whose order settings may
    need.
    """
    return (json.dumps(statement, ensure_ascii=False, indent=1) + "\n").encode()


def expect_statement(statement: JsonObject, place: Path) -> JsonObject:
    """Return a statement after checking its form. Raises InputError if it is malformed."""
    if problems := problems_in_words(statement, shipped("schemas/statement.schema.yaml")):
        raise InputError(f"{place} is not a statement of a release: {problems}.")
    return statement


def subjects(statement: JsonMapping) -> dict[str, str]:
    """Return the SHA-256 of the files of the release, by path."""
    return {one["name"]: one["digest"]["sha256"] for one in statement["subject"]}


def dependency(statement: JsonMapping, name: str) -> str:
    """Return the digest of a dependency by its name; an empty text if it is missing."""
    found = (one for one in statement["predicate"]["buildDefinition"]["resolvedDependencies"] if one["name"] == name)
    return next((str(one["digest"]["sha256"]) for one in found), "")


def raw_name(tag: str) -> str:
    """Return the name of the dependency on the raw files of a source."""
    return f"raw files of {tag}"


CODE = "authbench"


def _dependencies(manifest: Manifest) -> list[JsonObject]:
    code = {"name": CODE, "digest": {"sha256": code_digest()}, "annotations": {"version": VERSION}}
    raw = [
        {"name": raw_name(tag), "digest": {"sha256": read["sha256"]}, "annotations": {"files": read["files"]}}
        for tag, read in sorted(manifest["inputs"].items())
    ]
    return [code, *raw]


def _config(manifest: Manifest, deviation: Mapping[str, object]) -> JsonObject:
    """Return the settings of a manifest, which has sorted keys, in the orders that a release depends on.

    These are the order of the splits in which shares are given, and the order of the targets in `deviation`.
    """
    config: JsonObject = {**manifest["config"]}
    splits = config.get("split", {}).get("splits", {})
    names = [name for name in manifest.get("splits", ()) if name in splits]
    if names:
        config["split"] = {**config["split"], "splits": {name: splits[name] for name in names}}
    if "sample" in config:
        config["sample"] = _in_order_of_targets(config["sample"], deviation)
    return config


def _digest(path: Path) -> str:
    return sha256_of_file(path) if path.is_file() else ""


def _in_order_of_targets(sample: JsonMapping, deviation: JsonMapping) -> dict[str, object]:
    """Return the section `sample` with languages, lengths and genres in the order of the deviation."""
    cells = deviation.get("cells", ())
    languages = [row["language"] for row in deviation.get("languages", ())]
    found = dict(sample)
    for name, order in (("languages", languages), ("genres", languages), ("lengths", _keys(cells, "length"))):
        if isinstance(sample.get(name), Mapping):
            found[name] = _in_order(sample[name], order)
    for language, shares in (found.get("genres") or {}).items():
        if isinstance(shares, Mapping):
            found["genres"][language] = _in_order(shares, _keys(cells, "genre", language))
    return found


def _keys(cells: Iterable[DeviationRow], dimension: str, language: str | None = None) -> list[str]:
    of_it = (cell for cell in cells if cell["dimension"] == dimension and language in (None, cell["language"]))
    return list(dict.fromkeys(cell["key"] for cell in of_it))


def _in_order(values: Mapping[str, object], order: Iterable[str]) -> dict[str, object]:
    """Return a mapping with these keys first; keys that it lacks are left out."""
    return {**{key: values[key] for key in order if key in values}, **values}


PAYLOAD_TYPE = "application/vnd.in-toto+json"


def sign(payload: bytes, key: Path, envelope: JsonObject | None = None) -> JsonObject:
    """Return the envelope of a statement with the signature of a key added to its signatures.

    Raises:
        InputError: the key is not a private ed25519 key, or the envelope contains another statement.
    """
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key
    from securesystemslib.dsse import Envelope
    from securesystemslib.signer import CryptoSigner

    try:
        private = load_pem_private_key(key.read_bytes(), None)
    except (OSError, ValueError, TypeError) as problem:
        raise InputError(f"{key}: {_NO_KEY.format('private')} ({problem}).") from None
    if not isinstance(private, Ed25519PrivateKey):
        raise InputError(f"{key}: {_NO_KEY.format('private')}.")
    signed = Envelope.from_dict(json.loads(json.dumps(envelope))) if envelope else Envelope(payload, PAYLOAD_TYPE, {})
    if signed.payload != payload:
        raise InputError("The envelope holds another statement than the one to sign.")
    signed.sign(CryptoSigner(private))
    return dict(signed.to_dict())


def read_envelope(path: Path) -> tuple[JsonObject, JsonObject | None]:
    """Read a statement and its envelope (None if it is not signed).

    Raises:
        InputError: it cannot be read, or is neither.
    """
    import base64
    import binascii

    value = read_foreign_json(path, expected="what authbench release attest writes; --statement names another file")
    if "payload" not in value:
        return expect_statement(value, path), None
    try:
        content = base64.b64decode(value["payload"], validate=True)
    except (binascii.Error, ValueError, TypeError) as problem:
        raise InputError(f"{path}: its payload is no statement ({problem}).") from None
    payload = parse_foreign_json(content, f"{path}: its payload")
    if value.get("payloadType") != PAYLOAD_TYPE:
        raise InputError(f"{path}: its payload is not of the type {PAYLOAD_TYPE}.")
    return expect_statement(payload, path), value


def unsigned_by(envelope: JsonObject | None, keys: Sequence[Path]) -> list[Path]:
    """Return the public keys for which an envelope has no valid signature.

    Raises:
        InputError: a file is not a public ed25519 key.
    """
    if envelope is None:
        return list(keys)
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key
    from securesystemslib.dsse import Envelope
    from securesystemslib.exceptions import FormatError, VerificationError
    from securesystemslib.signer import SSlibKey

    missing = []
    for path in keys:
        try:
            public = load_pem_public_key(path.read_bytes())
        except (OSError, ValueError) as problem:
            raise InputError(f"{path}: {_NO_KEY.format('public')} ({problem}).") from None
        if not isinstance(public, Ed25519PublicKey):
            raise InputError(f"{path}: {_NO_KEY.format('public')}.")
        try:
            signed = Envelope.from_dict(json.loads(json.dumps(envelope)))
            signed.verify([SSlibKey.from_crypto(public)], 1)
        except (VerificationError, FormatError, KeyError, ValueError, TypeError):
            missing.append(path)
    return missing


_NO_KEY = "expected a {} ed25519 key in PEM without a password"
