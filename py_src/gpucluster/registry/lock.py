"""Advisory locks that the kernel frees when their holder dies, however that happens."""

import errno
import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ..protocol.errors import SupervisorUnreachable

PATIENCE_SECONDS = 30.0
_TRY_SECONDS = 0.01


def take(path: Path, *, patience: float = 0.0, given_up: Callable[[], bool] = lambda: False) -> int | None:
    """Return a descriptor that holds the lock until all its copies are closed; ``None``: another process holds it.

    `patience`: seconds to wait for that process. `given_up`: whether to stop waiting.
    """
    deadline = time.monotonic() + patience
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600)
    try:
        while True:
            # Never a blocking call: a holder that hangs would block the caller for ever.
            with suppress(BlockingIOError):
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return descriptor
            if time.monotonic() >= deadline or given_up():
                os.close(descriptor)
                return None
            time.sleep(_TRY_SECONDS)
    except BaseException:
        os.close(descriptor)
        raise


def is_held(path: Path) -> bool:
    """Whether a running process holds the lock, or that cannot be determined."""
    try:
        # For reading, which works on a read-only disk.
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        if error.errno in {errno.EMFILE, errno.ENFILE, errno.ENOMEM}:
            raise
        return error.errno != errno.ELOOP  # A link has replaced the locked file.
    try:
        # Shared, so that simultaneous readers do not take each other for the holder.
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


@contextmanager
def held(
    path: Path, *, patience: float = PATIENCE_SECONDS, given_up: Callable[[], bool] = lambda: False
) -> Iterator[None]:
    """Hold the lock for the length of a ``with`` block, waiting for it first."""
    descriptor = take(path, patience=patience, given_up=given_up)
    if descriptor is None and given_up():
        raise SupervisorUnreachable("This process is shutting down and has stopped waiting for other processes.")
    if descriptor is None:
        raise SupervisorUnreachable(
            f"Another of your processes has held {path} for {patience:.0f} seconds; it hangs or is suspended. Kill it "
            f"('fuser {path}' shows it) and try again."
        )
    try:
        yield
    finally:
        os.close(descriptor)
