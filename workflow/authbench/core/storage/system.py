"""Import the operating system's modules that AuthBench needs; if one is missing, report it in a line."""

from authbench.core.errors import InputError

try:
    import fcntl
    import resource
except ModuleNotFoundError as missing:
    raise InputError(
        f"AuthBench runs on Linux and macOS: this system has no `{missing.name}`, which Windows lacks. Use WSL there."
    ) from None

__all__ = ["fcntl", "resource"]
