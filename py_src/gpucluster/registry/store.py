"""The registry: which clusters there are, read from disk without asking anybody.

The files are the truth: a supervisor writes its record before each next step, and holds a lock as long as it
lives. An entry whose lock is free has no supervisor; whatever its record says, it has ended.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
from collections import deque
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from pydantic import ValidationError

from ..protocol.errors import ClusterNotFound, InvalidState, NameTaken, RegistryUnwritable
from ..protocol.models import ClusterModel, ClusterState
from ..protocol.plaintext import escaped
from ..protocol.telemetry import ActivityEntry
from ..protocol.version import PROTOCOL_VERSION
from . import activity, lock
from .directory import default_directory, secure_directory, write_private
from .record import DashboardAddress, Folder, Record
from .remembering import start_reaper
from .secret import make_secret
from .unreadable import ended_outline, outline, with_unknown_kind
from .writing import writing

ENDED_KEPT = 10
"""Ended clusters that stay in the list."""
ENDED_KEPT_FOR = timedelta(days=1)
LOG_TAIL_LINES = 20
_ID = re.compile(r"[0-9a-f]{8}")


def now() -> str:
    """Return the time as a UTC ISO string."""
    return _stamped(datetime.now(UTC))


def _stamped(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def tail(path: Path, lines: int) -> list[str]:
    """Return the last lines of a text file without reading all of it; empty when there is none.

    What a terminal would obey is written out: tasks print what they like.
    """
    try:
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - 400 * lines - 4096))
            text = file.read().decode("utf-8", errors="replace")
    except FileNotFoundError:
        return []
    return [escaped(line, keep="\t") for line in deque(text.splitlines(), maxlen=lines)]


def _of_another_version(model: ClusterModel | None) -> bool:
    """Whether nothing can be asked of a cluster, as its process does not speak our version."""
    return model is not None and not model.state.ended and model.protocol_version != PROTOCOL_VERSION


def _text(path: Path) -> str | None:
    with suppress(OSError):
        return path.read_text(encoding="utf-8")
    return None


class Registry:
    """The directory of this user's clusters.

    Parameters
    ----------
    directory : Path, optional
        Default: ``$GPUCLUSTER_DIR`` or ``/tmp/gpucluster-<uid>``.

    Raises
    ------
    RegistryUnsafe
        When the directory does not belong to this user alone.
    """

    def __init__(self, directory: Path | None = None) -> None:
        self.directory = secure_directory(Path(directory) if directory is not None else default_directory())
        self._cache: dict[str, tuple[tuple[int, int, int], Record]] = {}

    # -- reading ---------------------------------------------------------------------------------

    def folder(self, id: str) -> Folder:
        """Return the folder of that id, which need not exist."""
        return Folder(self.directory / id)

    def folders(self) -> list[Folder]:
        """Return the folders of all entries."""
        with os.scandir(self.directory) as entries:
            return [
                self.folder(entry.name)
                for entry in entries
                if _ID.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False)
            ]

    def read(self, folder: Folder) -> Record | None:
        """Return the record as it is on disk, ``None`` when there is none that can be read.

        Of a cluster of another version it is an outline.
        """
        try:
            found = folder.state.stat()
            stamp = (found.st_mtime_ns, found.st_ino, found.st_size)
            cached = self._cache.get(folder.id)
            if cached and cached[0] == stamp:
                return cached[1]
            text = folder.state.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            self._cache.pop(folder.id, None)
            return None
        record: Record | None = None
        with suppress(ValidationError):
            record = Record.model_validate_json(text)
        if record is None or _of_another_version(record.cluster):
            written = datetime.fromtimestamp(found.st_mtime, UTC)
            record = outline(folder.id, text, at=_stamped(written))
            if record is None:
                return None
        self._cache[folder.id] = (stamp, record)
        return record

    def record(self, folder: Folder) -> Record | None:
        """Return the record, with a dead supervisor's cluster shown as ended; what it has left is ended, too."""
        record = self._shown(folder)
        model = record.cluster if record is not None else None
        if model is not None and model.state.ended and folder.remembered.exists() and not lock.is_held(folder.lock):
            start_reaper(folder, model.python)
        return record

    def _shown(self, folder: Folder) -> Record | None:
        record = self.read(folder)
        if record is None or record.cluster is None or record.cluster.state.ended:
            return record
        if lock.is_held(folder.lock):
            return with_unknown_kind(record)
        # It may have ended properly between the two looks.
        self._cache.pop(folder.id, None)
        record = self.read(folder)
        if record is None or record.cluster is None or record.cluster.state.ended:
            return record
        if not record.readable:
            return ended_outline(record, record.cluster, at=now())
        return self._note_death(folder, record, record.cluster)

    def list(self) -> list[ClusterModel]:
        """Return all clusters, living ones first, newest first, and forget those that ended long ago."""
        models = []
        for folder in self.folders():
            record = self.record(folder)
            if record is not None and record.cluster is not None:
                models.append(record.cluster)
        models.sort(key=lambda model: model.created_at, reverse=True)
        ended = [model for model in models if model.state.ended and not self.folder(model.id).remembered.exists()]
        # Those that ended last stay longest: a long-lived cluster's log is wanted when it has just ended.
        ended.sort(key=lambda model: model.ended_at or model.created_at, reverse=True)
        oldest = (datetime.now(UTC) - ENDED_KEPT_FOR).isoformat()
        for number, model in enumerate(ended):
            late = number >= ENDED_KEPT or (model.ended_at or "") < oldest
            if late and not lock.is_held(self.folder(model.id).lock):
                models.remove(model)
                self.delete(self.folder(model.id))
        return sorted(models, key=lambda model: model.state.ended)

    def find(self, name_or_id: str) -> ClusterModel:
        """Return one cluster; a living one wins over an ended one of the same name.

        Raises
        ------
        ClusterNotFound
            When there is none.
        """
        if _ID.fullmatch(name_or_id):
            record = self.record(self.folder(name_or_id))
            if record is not None and record.cluster is not None:
                return record.cluster
        models = self.list()
        for model in models:
            if model.name == name_or_id:
                return model
        living = [model.name for model in models if not model.state.ended]
        known = f"Living clusters: {', '.join(living)}." if living else "There is no living cluster."
        raise ClusterNotFound(f"There is no cluster '{escaped(name_or_id[:80])}'. {known}")

    def dashboard(self, name_or_id: str) -> DashboardAddress:
        """Return where the dashboard of a running cluster listens.

        Raises
        ------
        ClusterNotFound, InvalidState
        """
        model = self.find(name_or_id)
        try:
            if model.state.ended:  # The port may be somebody else's by now.
                raise FileNotFoundError
            text = self.folder(model.id).dashboard.read_text(encoding="utf-8")
        except FileNotFoundError:
            raise InvalidState(f"The cluster '{model.name}' is {model.state.value}: it has no dashboard now.") from None
        return DashboardAddress.model_validate_json(text)

    # -- writing ---------------------------------------------------------------------------------

    def write(self, folder: Folder, record: Record) -> None:
        """Replace the record atomically.

        Raises
        ------
        RegistryUnwritable
            The record before is still there.
        """
        with writing(self.directory):
            write_private(folder.state, record.model_dump_json())

    def new_folder(self) -> tuple[Folder, int]:
        """Make an empty folder with an id that was never used, and take its lock.

        Returns
        -------
        tuple of Folder and int
            The folder, and the descriptor that holds its lock.

        Raises
        ------
        RegistryUnwritable
            Nothing was left.
        """
        while True:
            folder = self.folder(secrets.token_hex(4))
            with suppress(FileExistsError), writing(self.directory):
                folder.path.mkdir(mode=0o700)
                break
        try:
            with writing(self.directory):
                held = lock.take(folder.lock, patience=lock.PATIENCE_SECONDS)
                assert held is not None  # Others only look at it.
                try:
                    make_secret(folder)
                except BaseException:
                    os.close(held)
                    raise
        except BaseException:
            self.delete(folder)
            raise
        return folder, held

    @contextmanager
    def exclusive(self, patience: float = lock.PATIENCE_SECONDS) -> Iterator[None]:
        """Hold the registry's own lock: names are given out by one process at a time.

        Raises
        ------
        SupervisorUnreachable
            Another process holds it for longer than that many seconds.
        RegistryUnwritable
            When it cannot even be made.
        """
        with ExitStack() as held:
            with writing(self.directory):
                held.enter_context(lock.held(self.directory / "lock", patience=patience))
            yield

    def free_name(self, requested: str | None) -> str:
        """Return a name no living cluster has. Call it while holding ``exclusive``.

        Raises
        ------
        NameTaken
            When the requested name is in use.
        """
        taken = {model.name for model in self.list() if not model.state.ended}
        if requested is None:
            return next(name for name in (f"cluster-{n}" for n in range(1, len(taken) + 2)) if name not in taken)
        if requested in taken:
            raise NameTaken(
                f"A cluster named '{requested}' exists already. Connect to it, stop it first, or choose another name."
            )
        return requested

    def remove(self, name_or_id: str) -> ClusterModel:
        """Forget an ended cluster with its log.

        Raises
        ------
        ClusterNotFound
        InvalidState
            When it has not ended.
        """
        model = self.find(name_or_id)
        folder = self.folder(model.id)
        if not model.state.ended or lock.is_held(folder.lock):
            raise InvalidState(f"The cluster '{model.name}' is {model.state.value}; stop it before you remove it.")
        if folder.remembered.exists():
            raise InvalidState(
                f"The cluster '{model.name}' has ended, but what it had started elsewhere may still run; that is being "
                "ended. Try again in a minute; its activity says what hinders."
            )
        self.delete(folder)
        return model

    def _note_death(self, folder: Folder, record: Record, model: ClusterModel) -> Record:
        lines = tail(folder.log, LOG_TAIL_LINES)
        stopped = model.wanted.stopped
        pid = f" (pid {model.pid})" if model.pid else ""
        killed = _text(folder.killed)
        stopped = stopped or killed is not None
        reason = killed or (
            "Its process ended while it was being stopped."
            if stopped
            else f"Its process{pid} is gone: it was killed, or the machine was restarted. Its workers ended with it."
        )
        ended_model = model.model_copy(
            update={
                "state": ClusterState.STOPPED if stopped else ClusterState.FAILED,
                "reason": reason,
                "notice": None,
                "progress": None,
                "can": (),
                "n_workers": 0,
                "n_pending": 0,
                "pending_reason": None,
                "n_clients": 0,
                "workers": [],
                "scheduler_address": None,
                "dashboard_path": None,
                "ended_at": now(),
                "log_tail": [] if stopped else lines,
                "idle": model.idle.model_copy(update={"idle_since": None, "stops_at": None}),
            }
        )
        ended = record.model_copy(update={"cluster": ended_model})
        if model.spec.local_directory is not None:
            shutil.rmtree(folder.scratch_in(model.spec.local_directory), ignore_errors=True)
        try:
            self.clear_secrets(folder)
            self.write(folder, ended)
            self._note_end(folder, "state" if stopped else "failure", reason)
        except FileNotFoundError:
            pass
        except RegistryUnwritable as error:
            # It has surely ended, but why it did may be what it could not write down either.
            told = f"Its process{pid} is gone and could not write down why. {error.message}"
            return record.model_copy(update={"cluster": ended_model.model_copy(update={"reason": told})})
        return ended

    def _note_end(self, folder: Folder, kind: str, reason: str) -> None:
        entries = activity.read(folder.activity)
        # Several may find it gone at the same moment.
        if not entries or entries[-1].message != reason:
            with suppress(OSError):
                activity.append(folder.activity, ActivityEntry(at=now(), kind=kind, message=reason))

    def sweep(self) -> None:
        """Delete what a creation that was killed half-way left. Call it while holding ``exclusive``."""
        for folder in self.folders():
            # Folders are made under the same lock: this one is not just being made.
            if not folder.state.exists() and not lock.is_held(folder.lock):
                self.delete(folder)

    def clear_secrets(self, folder: Folder) -> None:
        """Delete what an ended cluster does not need: credentials, dashboard address, socket, spilled data."""
        for path in (
            folder.tls,
            folder.comm,
            folder.scratch,
            folder.dashboard,
            folder.socket,
            folder.secret,
            folder.process,
            folder.reserve,
        ):
            # Something odd in one folder must not keep the list of all clusters from being read.
            with suppress(OSError):
                if path.is_dir() and not path.is_symlink():
                    shutil.rmtree(path, ignore_errors=True)
                else:
                    path.unlink(missing_ok=True)

    def delete(self, folder: Folder) -> None:
        """Delete a folder. Its supervisor must be gone."""
        self._cache.pop(folder.id, None)
        shutil.rmtree(folder.path, ignore_errors=True)
