"""Modules of the operating system that AuthBench needs; where one is missing, importing this says so in one line."""

from authbench.errors import InputError

try:
    import fcntl
    import resource
except ModuleNotFoundError as missing:
    raise InputError(
        f"AuthBench runs on Linux and macOS: this system has no `{missing.name}`, which Windows lacks. Use WSL there."
    ) from None

__all__ = ["fcntl", "resource"]
