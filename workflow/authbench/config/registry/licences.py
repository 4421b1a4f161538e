"""Name licences by SPDX identifiers.

An entry names its licence, or describes the terms in words. Licences known to SPDX get its identifier, others a
LicenseRef.
"""

import re

from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression

CREATIVE_COMMONS = re.compile(r"CC BY\S* \d\S*")
SPOKEN = {"CC0": "CC0-1.0", "CC0 1.0": "CC0-1.0"}
LIKE_AN_IDENTIFIER = re.compile(r"(?=\D*\d)[\w.+-]+")
OWN = "LicenseRef-"


def spdx_identifier(name: str) -> str:
    """Return the SPDX identifier of a licence, an expression of several (`MIT OR Apache-2.0`), or a LicenseRef.

    Only the bare name of a licence has an identifier: "MIT; research use" is not MIT.

    >>> spdx_identifier("CC BY-NC-SA 4.0"), spdx_identifier("CC0"), spdx_identifier("public domain")
    ('CC-BY-NC-SA-4.0', 'CC0-1.0', 'LicenseRef-public-domain')
    """
    try:
        return str(canonicalize_license_expression(_written(name)))
    except InvalidLicenseExpression:
        return OWN + (re.sub("[^A-Za-z0-9.]+", "-", name).strip("-") or "other")


def licence_problem(name: str) -> str | None:
    """Return the problem of a name written like an SPDX identifier but unknown.

    >>> licence_problem("GPL-3.0-only"), licence_problem("with the paper's consent")
    (None, None)
    """
    if (
        not LIKE_AN_IDENTIFIER.fullmatch(_written(name))
        or not spdx_identifier(name).startswith(OWN)
        or name.startswith(OWN)
    ):
        return None
    return (
        f"'{name}' is no licence of SPDX's list (https://spdx.org/licenses). Expected an identifier of that list, such "
        f"as CC-BY-4.0, one of your own that begins with {OWN}, or the terms in words"
    )


def _written(name: str) -> str:
    return name.replace(" ", "-") if CREATIVE_COMMONS.fullmatch(name) else SPOKEN.get(name, name)
