"""End a command: its exit status, and a line on standard error if something went wrong.

0: done. 1: the negative answer that the command documents (`Command.negative`). 2: an input cannot be used. 70: a fault
of AuthBench. 130: interrupted. 141: the reader of standard output has left.
"""

import os
import posix
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

from authbench.core.errors import InputError
from authbench.core.extras import missing_extra
from authbench.core.printable import printable

UNUSABLE, FAULT, INTERRUPTED, CLOSED_PIPE = 2, 70, 130, 141
TRACEBACK = "AUTHBENCH_TRACEBACK"  # environment variable: 1 prints the traceback of a fault
_SHOWN_CHARACTERS = 300


def run_to_end(run: Callable[[], int], given: Sequence[str] = ()) -> int:
    """Return the exit status of a command; an exception of any kind becomes a status and a message.

    Args:
        run: the command.
        given: its arguments; a line break in them, as names of files may have it, is escaped in the message.
    """
    try:
        with _exits_raise():
            status = run()
        if sys.stdout is not None:
            sys.stdout.flush()
        return status
    except BrokenPipeError:
        with suppress(OSError, ValueError, AttributeError):  # standard output may not be a file
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return CLOSED_PIPE
    except KeyboardInterrupt:
        _tell("interrupted")
        return INTERRUPTED
    except (Exception, SystemExit) as error:
        if isinstance(error, SystemExit) and error.code == UNUSABLE:
            raise  # of argparse
        if problem := _problem(error):
            _tell(problem, given)
            return UNUSABLE
        if os.environ.get(TRACEBACK):
            traceback.print_exc()
        said = printable(str(error))[:_SHOWN_CHARACTERS]
        _tell(
            f"a fault of AuthBench, nothing it printed is a result: {type(error).__name__}: {said}"
            f" ({TRACEBACK}=1 shows where)"
        )
        return FAULT


def _problem(error: BaseException) -> str:
    """Return the message for an unusable input; empty for a fault."""
    if isinstance(error, InputError):
        return str(error)
    if isinstance(error, ModuleNotFoundError):
        return str(missing_extra(error) or "")
    if isinstance(error, OSError) and error.errno is not None and error.filename is not None:
        return f"{os.fsdecode(error.filename)!r}: {error.strerror}"
    return ""


def _tell(message: str, given: Sequence[str] = ()) -> None:
    with suppress(OSError):
        print("authbench:", told(message, given), file=sys.stderr)


def told(message: str, names: Sequence[str]) -> str:
    """Return a message as it is printed: its line breaks stay, but line breaks in these names are escaped."""
    for name in names:
        message = message.replace(name, printable(name))
    return printable(message, keep="\n")


@contextmanager
def _exits_raise() -> Iterator[None]:
    """Let `os._exit` raise SystemExit in this process: a user's function could otherwise end a command as if it were
    done.
    """
    process, exit_now = os.getpid(), os._exit

    def leave(status: int) -> None:
        if os.getpid() != process:
            exit_now(status)
        raise SystemExit(status)

    os._exit = posix._exit = leave  # type: ignore[assignment]
    try:
        yield
    finally:
        os._exit = posix._exit = exit_now
