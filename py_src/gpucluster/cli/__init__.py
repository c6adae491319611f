"""The command line ``gpucluster``: the same verbs as the panel, the magics and the Python API.

Standard output has only the answer. Progress goes to standard error, if that is a terminal. A refusal is one sentence
on standard error and the exit code of its error.
"""

from __future__ import annotations

import errno
import os
import signal
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:  # During each import before main(), Ctrl-C prints a traceback.
    from collections.abc import Sequence

__all__ = ["main"]

EXIT_NOWHERE = 1
EXIT_INTERRUPTED = 130
EXIT_PIPE_CLOSED = 141
_HELP = ("--help", "-h")
_AGAIN_SECONDS = 0.05
_NOT_WRITTEN = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EBADF, errno.EIO}
"""Errors of writing to a stream: the disk is full, the stream is read-only, or its terminal is gone."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    arguments : sequence of str, optional
        Arguments after the program's name; default: the process's own.

    Returns
    -------
    int
        The exit code; docs/command-line.md explains them.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    if arguments is None:  # This process only runs the command line, so set its signals.
        _end_at_once_on_signals()
        sys.unraisablehook = _interrupt_again
    try:
        return _code_of(words)
    finally:
        if arguments is None:  # While Python waits for threads at exit, Ctrl-C would print a traceback.
            _end_at_once_on_signals()


def _end_at_once_on_signals() -> None:
    """Exit without a traceback while there is nothing to clean up: during imports and after the answer."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:  # as under nohup
            signal.signal(number, lambda *_: os._exit(EXIT_INTERRUPTED))


def _interrupt_again(unraisable: sys.UnraisableHookArgs) -> None:
    """Repeat a Ctrl-C that could not be raised, as in a callback of the garbage collector."""
    if not issubclass(unraisable.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(unraisable)
        return
    from threading import Timer

    again = Timer(_AGAIN_SECONDS, os.kill, (os.getpid(), signal.SIGINT))
    again.daemon = True
    again.start()


def _code_of(words: list[str]) -> int:
    _make_writable()
    try:
        ours = words[: words.index("--")] if "--" in words else words
        starts = words[:1] in (["create"], ["lease"]) and not set(_HELP).intersection(ours)
        code = _create(words) if starts else _run(words)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        # The reader of the output has closed it (`gpucluster list | head`).
        _close_output()
        return EXIT_PIPE_CLOSED
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except OSError as error:
        if error.errno not in _NOT_WRITTEN or error.filename is not None:
            raise
        _close_output()
        print(f"Not everything could be written: {error.strerror}.", file=sys.stderr)
        return 1


def _close_output() -> None:
    """Discard buffered output, which could not be written when Python exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _make_writable() -> None:
    """Make closed streams (``>&-``) and ASCII streams accept all text."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - as long as the process
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def _create(words: list[str]) -> int:
    from ..client.starting.early_supervisor import drop_early, start_early

    start_early()  # It imports on another core while this process imports here.
    try:
        return _run(words)
    except KeyboardInterrupt:
        # Before the request for the cluster, or again while it was being stopped.
        print("Interrupted. List clusters: gpucluster list", file=sys.stderr)
        return EXIT_INTERRUPTED
    finally:
        drop_early()


def _run(words: list[str]) -> int:
    if words[:1] == ["--version"]:
        from .._version import __version__

        print(__version__)
        return 0
    from ..protocol.errors import GPUClusterError
    from .arguments import HelpWanted

    if words[:1] == ["__complete"]:
        return _complete(words[1:])
    try:
        return _dispatch(words)
    except HelpWanted as wanted:
        print(wanted.text, end="")
        return 0
    except GPUClusterError as error:
        if "--json" in words:
            print(error.model().model_dump_json(), file=sys.stderr)
        else:
            print(error.message, file=sys.stderr)
        return error.exit_code
    except FileNotFoundError:
        if _is_somewhere():
            raise
        print("The current directory no longer exists. Change to another one first: cd.", file=sys.stderr)
        return EXIT_NOWHERE


def _is_somewhere() -> bool:
    try:
        os.getcwd()
    except OSError:
        return False
    return True


def _dispatch(words: list[str]) -> int:
    from .commands import SHELL
    from .verbs import find_verb, is_group, overview, split_verb

    if not words or words[0] in _HELP:
        print(overview(SHELL), end="")
        return 0
    if is_group(words[0]) and (len(words) == 1 or words[1] in _HELP):
        print(overview(SHELL, words[0]), end="")
        return 0
    verb, rest = split_verb(words)
    found = find_verb(verb)
    if found is not None and found.become is not None and not (len(rest) == 1 and rest[0] in _HELP):
        found.become(rest)
    from .actions import Cancelled
    from .interrupt import end_in_good_order
    from .shell import run

    end_in_good_order()
    try:
        return run(verb, rest)
    except Cancelled as cancelled:
        print(cancelled, file=sys.stderr)
        return EXIT_INTERRUPTED


def _complete(words: list[str]) -> int:
    from .completion import candidates

    # The shell's script puts '--' before the words.
    typed = words[1:] if words[:1] == ["--"] else words
    for candidate in candidates(typed or [""]):
        print(candidate)
    return 0
