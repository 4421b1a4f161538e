"""Build a checked authorship benchmark from raw corpora with author labels.

`load`, `check`, `evaluate` and `audit` are in `authbench.app.api`, which is imported on first use.
"""

from typing import TYPE_CHECKING

from authbench.core.version import VERSION

if TYPE_CHECKING:
    from authbench.app.api import audit, check, evaluate, load

__version__ = VERSION
__all__ = ["__version__", "audit", "check", "evaluate", "load"]

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module 'authbench' has no attribute {name!r}")
        from authbench.app import api

        return getattr(api, name)

    def __dir__() -> list[str]:
        return sorted([*globals(), *__all__])
