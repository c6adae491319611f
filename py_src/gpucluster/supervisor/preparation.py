"""What a cluster gets before it starts: a scratch directory, credentials, the secret path of its dashboard."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

from ..backends.backend import RemainingShare, StartContext
from ..comm.folder import make_comm_folder, secret_of
from ..protocol.errors import PreflightFailed
from ..protocol.log_text import redact
from ..protocol.refusals import path_refusal, storage_refusal
from ..registry.directory import others_cannot_replace
from ..registry.record import Folder
from ..registry.started_elsewhere import remember
from ..registry.store import Registry
from .device_claims import device_claims

PREFIX_BYTES = 24
"""Of the dashboard's secret path."""


def make_scratch(folder: Folder, local_directory: str | None) -> Path:
    """Make the directory that spilled data goes to, for this user only.

    Parameters
    ----------
    folder : Folder
        The cluster's folder, which has one of its own.
    local_directory : str, optional
        Where the user wants it instead; made for this user only when it is not there, and then kept.

    Raises
    ------
    PreflightFailed
        It cannot be made, or others may replace files in it.
    """
    scratch = folder.scratch
    if local_directory is not None and (refusal := path_refusal(local_directory)) is not None:
        raise PreflightFailed(f"local_directory: {refusal}")  # Whoever asked may have had another encoding.
    try:
        if local_directory is not None:
            top = Path(local_directory).resolve()
            _make_directory(top)
            scratch = folder.scratch_in(str(top))
        scratch.mkdir(mode=0o700)
    except FileExistsError:
        raise PreflightFailed(f"local_directory: {scratch} exists already. Choose another directory.") from None
    except OSError as error:
        if local_directory is None:
            raise PreflightFailed(
                storage_refusal(error, folder.path.parent) or f"{scratch}: {error.strerror}."
            ) from error
        raise PreflightFailed(
            f"local_directory: {local_directory} cannot be used ({error.strerror}). Choose one that you may write "
            "to, or that can be made."
        ) from error
    return scratch


def _make_directory(directory: Path) -> None:
    """Make a directory that is not there yet; refuse one that somebody else could replace.

    Outermost first, so that nothing is made where somebody could replace it.
    """
    there = next(place for place in (directory, *directory.parents) if place.exists())
    if not there.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
    missing = [place for place in (directory, *directory.parents) if place.is_relative_to(there) and place != there]
    for place in (*reversed(there.parents), there, *reversed(missing)):
        if place in missing:
            place.mkdir(mode=0o700, exist_ok=True)  # Somebody may be faster, and need not be a friend.
        if not others_cannot_replace(place):
            raise PreflightFailed(
                f"local_directory: other users may write to {place} and replace what is in it. Choose a "
                "directory that lies in directories of yours or of the system, or that has the sticky bit."
            )


def remove_scratch(path: Path) -> None:
    """Delete spilled data."""
    shutil.rmtree(path, ignore_errors=True)


def prepare(
    registry: Registry,
    folder: Folder,
    scratch: Path,
    *,
    backend: str,
    protocol: str,
    report: Callable[[str, str], None],
    tell: Callable[[str, str], None],
    left: RemainingShare,
) -> StartContext:
    """Return what the backend needs to start the cluster.

    Parameters
    ----------
    registry, folder
        Where the cluster is written down.
    scratch : Path
        As ``make_scratch`` made it.
    backend : str
        Its name.
    protocol : str
        ``tls``: credentials are made; ``unix``: a folder for sockets.
    report : callable
        Told each step and what it does.
    tell : callable
        Writes into the activity: a kind and a sentence.
    left : RemainingShare
        What the site leaves to this user.
    """
    import dask

    from .credentials import make_credentials

    # For scheduler and workers alike. Dask's own choice is a folder of a known name in a directory that all users
    # share: whoever makes it first can plant links there.
    dask.config.set({"temporary-directory": str(scratch)})
    comm: Path | None = None
    if protocol == "unix":
        comm = folder.comm
        make_comm_folder(comm)
        redact(secret_of(str(comm)).decode())
        # Workers find it here: distributed tells them no host.
        dask.config.set({"gpucluster.comm-folder": str(comm)})
    prefix = secrets.token_urlsafe(PREFIX_BYTES)
    redact(prefix)
    return StartContext(
        cluster_id=folder.id,
        security=make_credentials(folder.tls) if protocol == "tls" else None,
        scratch_directory=scratch,
        dashboard_prefix=prefix,
        report=report,
        tell=tell,
        claims=device_claims(registry.directory),
        left=left,
        tls_directory=folder.tls if protocol == "tls" else None,
        credentials_directory=folder.tls,
        comm_directory=comm,
        remember=partial(remember, folder, backend),
    )
