"""Sign a statement in a DSSE envelope with ed25519 keys, and verify signatures, without a network.

Requires the extra `attest` (securesystemslib). A private key is PEM without a password, as `openssl genpkey -algorithm
ed25519` writes it; a public key is PEM, too.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from authbench.attestation.statement import expect_statement
from authbench.errors import InputError
from authbench.storage.json_files import parse_foreign_json, read_foreign_json

PAYLOAD_TYPE = "application/vnd.in-toto+json"


def sign(payload: bytes, key: Path, envelope: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return the envelope of a statement with the signature of a key added to the existing ones.

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


def read_envelope(path: Path) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """Read a statement and its envelope (None if it is not signed).

    Raises:
        InputError: it cannot be read, or is neither.
    """
    import base64
    import binascii

    value = read_foreign_json(path)
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


def unsigned_by(envelope: dict[str, Any] | None, keys: Sequence[Path]) -> list[Path]:
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
