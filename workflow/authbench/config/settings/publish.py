"""Type the section `publish`."""

from collections.abc import Sequence
from typing import Annotated, TypedDict

from authbench.config.settings.values import Keywords, PlugInName, Sha256, Text

_Version = Annotated[
    str,
    Keywords(pattern="^[0-9]+\\.[0-9]+\\.[0-9]+$(?!\\n)", maxLength=40, expected="a version such as 1.0.0"),
]
Day = Annotated[
    str,
    Keywords(pattern="^[0-9]{4}-[0-9]{2}-[0-9]{2}$(?!\\n)", format="date", expected='a day as "YYYY-MM-DD", in quotes'),
]
_Url = Annotated[
    str,
    Keywords(pattern="^https?://[^\\s]+$(?!\\n)", expected="an address that begins with http:// or https://"),
]
_Doi = Annotated[
    str,
    Keywords(pattern="^10[.][0-9]{4,9}/[^\\s{}]+$(?!\\n)", expected="a DOI such as 10.5281/zenodo.1234567"),
]


FORMS = ("huggingface", "beir", "mteb", "trec", "pan", "steb", "documents")


class Publish(TypedDict):
    """Set the forms of a publication, and the content of its records."""

    forms: Annotated[Sequence[PlugInName], Keywords(uniqueItems=True)]  # FORMS, and plug-ins
    version: _Version
    date: Day | None
    creators: Annotated[Sequence[Text], Keywords(minItems=1)]
    contact: Text | None
    url: _Url | None
    publisher: Text | None
    sha256: Sha256 | None
    doi: _Doi | None
