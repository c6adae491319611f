"""The innermost real cause of an error, as text."""

from __future__ import annotations

import asyncio
import errno
from contextlib import suppress
from pathlib import Path

from ..protocol.errors import GPUClusterError
from ..protocol.refusals import folder_of, open_files_refusal, storage_refusal

_FULL_DISK = {errno.ENOSPC, errno.EDQUOT, errno.EROFS}


def _refusal_in(error: BaseException | None) -> str | None:
    """Return what the system refused anywhere in a chain: distributed fails on it and raises something else."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        refusal = open_files_refusal(error)
        if refusal is None and isinstance(error, OSError) and error.errno in _FULL_DISK and error.filename is not None:
            refusal = storage_refusal(error, folder_of(error, Path()))
        if refusal is not None:
            return refusal.rstrip(".")
        error = error.__cause__ or error.__context__
    return None


def _text_of(error: BaseException) -> str:
    """Return an error's message. A built-in exception from a worker has kept only its arguments."""
    if type(error).__module__ == "builtins" and not isinstance(error, OSError):
        with suppress(Exception):
            error = type(error)(*error.args)
    return str(error)


def cause_of(error: BaseException) -> str:
    """Return the innermost real cause of an error chain in a few words."""
    refused = _refusal_in(error)
    if refused is not None:
        return refused
    # Only explicit causes: an error that merely was being handled explains nothing. Our own errors are readable.
    while (
        not isinstance(error, GPUClusterError)
        and error.__cause__ is not None
        and not isinstance(error.__cause__, (asyncio.CancelledError, TimeoutError))
    ):
        error = error.__cause__
    if isinstance(error, GPUClusterError):
        return error.message.rstrip(".")
    text = _text_of(error).strip().splitlines()
    if isinstance(error, ModuleNotFoundError) and error.name:
        return f"the module '{error.name}' is not installed"
    first = text[0].rstrip(".") if text else ""
    return f"{type(error).__name__}: {first[:300]}" if first else type(error).__name__
