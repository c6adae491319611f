"""The registry: the list of clusters, read from disk without contacting any process.

The files decide: a supervisor writes its record before each next step, and holds a lock for as long as it lives. An
entry whose lock is free has no supervisor and has ended, whatever its record contains.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from pydantic import ValidationError

from ..operating_system.files import open_own_file, read_own_file, remove_semaphores
from ..protocol.errors import ClusterNotFound, FieldError, InvalidState, NameTaken, RegistryUnwritable
from ..protocol.messages import MessageCode
from ..protocol.models import ClusterModel, ClusterState
from ..protocol.plain_text import escaped
from . import history, lock, unreadable
from .directory import default_directory, secure_directory, unreadable_directory, write_private, writing
from .ending import ended_by_death, ended_fields, gone, note_end
from .record import LONGEST_RECORD, DashboardAddress, Folder, Record, make_secret, now, stamped
from .replacement import overwrite_text
from .started_elsewhere import start_reaper

ENDED_KEPT = 10  # Ended clusters that stay in the list.
ENDED_LEASES_KEPT = 3  # The same for leases that ended regularly: a notebook may have one in each cell.
ENDED_KEPT_FOR = timedelta(days=1)
ASKED_AGAIN_SECONDS = 10.0  # How long a process that has not answered is not queried again for its damaged record.
_ID = re.compile(r"[0-9a-f]{8}")
_OUT_OF_FILES = {errno.EMFILE, errno.ENFILE, errno.ENOMEM}  # Faults of the reading process, not of the entry.


class Registry:
    """The directory of this user's clusters, by default ``$GPUCLUSTER_DIR`` or ``/tmp/gpucluster-<uid>``.

    `later`: prove that it is private on first use, not now. `proved`: another process has, and only a folder is used.
    Raises `RegistryUnsafe` when it does not belong to this user alone.
    """

    def __init__(self, directory: Path | None = None, *, later: bool = False, proved: bool = False) -> None:
        self._chosen = directory
        self._proved = directory if proved else None
        if not later:
            self.check_directory()
        self._cache: dict[str, tuple[tuple[int, int, int], Record]] = {}
        self._silent: dict[str, float] = {}
        self._ends = False

    @property
    def directory(self) -> Path:
        """The directory, which belongs to this user alone. Raises `RegistryUnsafe` if it does not or cannot be made."""
        if self._proved is None:
            self._proved = secure_directory(Path(self._chosen) if self._chosen is not None else default_directory())
        return self._proved

    def check_directory(self) -> None:
        """Prove again that it is private, as its mode may have changed; make it if deleted. Raises `RegistryUnsafe`."""
        secure_directory(self.directory)

    def wait_no_more(self) -> None:
        """Let all threads that wait for the registry's lock give up: this process is about to end.

        Otherwise it would end only after all of them have waited for their timeouts, one after the other.
        """
        self._ends = True

    # -- reading ---------------------------------------------------------------------------------

    def folder(self, id: str) -> Folder:
        """Return the folder of that id, which need not exist."""
        return Folder(self.directory / id)

    def folders(self) -> list[Folder]:
        self.check_directory()
        try:
            with os.scandir(self.directory) as entries:
                ids = [entry for entry in entries if _ID.fullmatch(entry.name)]
                return [self.folder(entry.name) for entry in ids if entry.is_dir(follow_symlinks=False)]
        except OSError as error:
            if error.errno in _OUT_OF_FILES:
                raise
            raise unreadable_directory(self.directory, error) from error

    def read(self, folder: Folder) -> Record | None:
        """Return the record on disk, an outline for a cluster of another version; ``None`` if it cannot be read."""
        try:
            found = os.lstat(folder.state)
            stamp = (found.st_mtime_ns, found.st_ino, found.st_size)
            cached = self._cache.get(folder.id)
            if cached and cached[0] == stamp:
                return cached[1]
            text = read_own_file(folder.state, LONGEST_RECORD)
        except OSError as error:
            if error.errno in _OUT_OF_FILES:
                raise
            self._cache.pop(folder.id, None)
            return None
        record: Record | None = None
        with suppress(ValidationError):
            record = Record.model_validate_json(text)
        if record is not None and record.cluster is not None and record.cluster.id != folder.id:
            self._cache.pop(folder.id, None)
            return None  # A copy of another cluster's record: the folder's name is the id.
        if record is None or (record.cluster is not None and unreadable.of_another_version(record.cluster)):
            written = datetime.fromtimestamp(found.st_mtime, UTC)
            record = unreadable.outline(folder.id, text, at=stamped(written))
            if record is None:
                return None
        self._cache[folder.id] = (stamp, record)
        return record

    def record(self, folder: Folder) -> Record | None:
        """Return the record, with a dead supervisor's cluster shown as ended; what it has left is ended, too.

        An unreadable record or folder is shown with the reason.
        """
        try:
            record = self._shown(folder)
            model = record.cluster if record is not None else None
            if model is not None and model.state.ended and folder.remembered.exists() and not lock.is_held(folder.lock):
                start_reaper(folder, model.python)
        except OSError as error:
            if error.errno in _OUT_OF_FILES:
                raise
            why = f"{error.filename or folder.path}: {error.strerror or error}"
            return unreadable.damaged(folder, why, alive=None if lock.is_held(folder.lock) else False)
        return record

    def _shown(self, folder: Folder) -> Record | None:
        record = self.read(folder)
        if record is None:
            return self._without_record(folder)
        if record.cluster is None or record.cluster.state.ended:
            return record
        if lock.is_held(folder.lock):
            return unreadable.while_paused(unreadable.with_unknown_kind(record))
        # It may have ended regularly since the record was read.
        self._cache.pop(folder.id, None)
        record = self.read(folder)
        if record is None or record.cluster is None or record.cluster.state.ended:
            return record
        if not record.readable:
            return unreadable.ended_outline(record, record.cluster, at=now())
        return self._note_death(folder, record, record.cluster)

    def _without_record(self, folder: Folder) -> Record | None:
        """Return an entry for a folder whose record cannot be read; its process is queried if it lives."""
        if (why := _unreadable(folder)) is None:
            return None
        if not lock.is_held(folder.lock):
            return unreadable.damaged(folder, why, alive=False)
        if not folder.socket.exists():
            return None  # It is just starting, and writes its record soon.
        if time.monotonic() - self._silent.get(folder.id, -ASKED_AGAIN_SECONDS) >= ASKED_AGAIN_SECONDS:
            try:
                return unreadable.record_from_process(folder)
            except unreadable.Silent:
                self._silent[folder.id] = time.monotonic()
        return unreadable.while_paused(unreadable.damaged(folder, why, alive=True))

    def list(self) -> list[ClusterModel]:
        """Return all clusters, running ones first, then newest first, and forget those that ended long ago."""
        models = []
        for folder in self.folders():
            record = self.record(folder)
            if record is not None and record.cluster is not None:
                models.append(record.cluster)
        models.sort(key=lambda model: model.created_at, reverse=True)
        left = {model.id for model in models if os.path.lexists(self.folder(model.id).remembered)}
        ended = [model for model in models if model.state.ended and model.id not in left]
        # Sorted by end, not by start: a long-lived cluster's log is wanted when it has just ended.
        ended.sort(key=lambda model: model.ended_at or model.created_at, reverse=True)
        oldest = (datetime.now(UTC) - ENDED_KEPT_FOR).isoformat()
        leases = [model for model in ended if model.lease is not None and model.state is ClusterState.STOPPED]
        others = [model for model in ended if model not in leases]
        many = leases[ENDED_LEASES_KEPT:] + others[ENDED_KEPT:]
        for model in ended:
            late = model in many or (model.ended_at or "") < oldest
            if late and not lock.is_held(self.folder(model.id).lock):
                models.remove(model)
                self.delete(self.folder(model.id))
        return sorted(models, key=lambda model: model.state.ended)

    def find(self, name_or_id: str) -> ClusterModel:
        """Return one cluster; a running one takes precedence over an ended one of the same name."""
        if _ID.fullmatch(name_or_id):
            record = self.record(self.folder(name_or_id))
            if record is not None and record.cluster is not None:
                return record.cluster
        models = self.list()
        for model in models:
            if model.name == name_or_id:
                return model
        running = [model.name for model in models if not model.state.ended]
        known = f"Running clusters: {', '.join(running)}." if running else "No cluster is running."
        raise ClusterNotFound(f"Cluster '{escaped(name_or_id[:80])}' not found. {known}")

    def dashboard(self, name_or_id: str) -> DashboardAddress:
        """Return where the dashboard of a running cluster listens. Raises `ClusterNotFound`, `InvalidState`."""
        model = self.find(name_or_id)
        try:
            if model.state.ended:  # Another process may have the port by now.
                raise FileNotFoundError
            return DashboardAddress.model_validate_json(read_own_file(self.folder(model.id).dashboard))
        except (OSError, ValidationError):
            raise InvalidState(f"The cluster '{model.name}' is {model.state.value}: it has no dashboard now.") from None

    # -- writing ---------------------------------------------------------------------------------

    def write(self, folder: Folder, record: Record) -> None:
        """Replace the record atomically. Raises `RegistryUnwritable`: the previous record is still there."""
        text = record.model_dump_json()
        with writing(self.directory):
            try:
                write_private(folder.state, text)
            except PermissionError:
                # In a read-only folder no file can be made, but this one can be overwritten.
                overwrite_text(folder.state, text)

    def new_folder(self) -> tuple[Folder, int]:
        """Make an empty folder with a new id; returns it and the descriptor that holds its lock.

        Raises `RegistryUnwritable`: nothing was left.
        """
        while True:
            folder = self.folder(secrets.token_hex(4))
            with suppress(FileExistsError), writing(self.directory):
                folder.path.mkdir(mode=0o700)
                break
        try:
            with writing(self.directory):
                held = lock.take(folder.lock, patience=lock.PATIENCE_SECONDS)
                assert held is not None  # Other processes only look at it.
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
        """Hold the registry's lock. Raises `SupervisorUnreachable`, `RegistryUnwritable` or `RegistryUnsafe`."""
        self.check_directory()
        with ExitStack() as held:
            with writing(self.directory):
                held.enter_context(lock.held(self.directory / "lock", patience=patience, given_up=lambda: self._ends))
            yield

    def free_name(self, requested: str | None, *, kind: str = "cluster") -> str:
        """Return the requested name, or one that is not listed. Hold ``exclusive``. Raises `NameTaken`: it is used."""
        models = self.list()
        if requested is None:
            listed = {model.name for model in models}
            return next(name for n in range(1, len(listed) + 2) if (name := f"{kind}-{n}") not in listed)
        if any(model.name == requested and not model.state.ended for model in models):
            why = f"A cluster named '{requested}' already exists. Connect to it, stop it first, or choose another name."
            raise NameTaken(why, fields=[FieldError(field="name", message=why)])
        return requested

    def remove(self, name_or_id: str) -> ClusterModel:
        """Forget an ended cluster with its log. Raises `ClusterNotFound` or `InvalidState` (when it has not ended)."""
        model = self.find(name_or_id)
        folder = self.folder(model.id)
        with writing(folder.path), suppress(FileNotFoundError):
            os.lstat(folder.lock)
        if not model.state.ended or lock.is_held(folder.lock):
            raise InvalidState(f"The cluster '{model.name}' is {model.state.value}; stop it before you remove it.")
        if folder.remembered.exists():
            raise InvalidState(
                f"The cluster '{model.name}' has ended, but its remote processes may still be running; they are being "
                "stopped. Try again in a minute; its activity log shows the obstacle."
            )
        self.delete(folder)
        with writing(folder.path), suppress(FileNotFoundError):
            shutil.rmtree(folder.path)  # Raises what ``delete`` ignored.
        return model

    def _note_death(self, folder: Folder, record: Record, model: ClusterModel) -> Record:
        ended_model = ended_by_death(folder, model, at=now())
        ended = record.model_copy(update={"cluster": ended_model})
        if model.spec.local_directory is not None:
            shutil.rmtree(folder.scratch_in(model.spec.local_directory), ignore_errors=True)
        remove_semaphores(folder.id)
        try:
            self.clear_secrets(folder)
            self.write(folder, ended)
            note_end(folder, ended_model)
        except FileNotFoundError:
            pass
        except RegistryUnwritable as error:
            # The disk error may also be why it ended.
            why = f"{gone(model)} and could not record why. {error.message}"
            return record.model_copy(update={"cluster": ended_model.saying({MessageCode.FAILED: why})})
        return ended

    def write_failure(self, folder: Folder, record: Record, reason: str, log_tail: Sequence[str] = ()) -> None:
        """Write that a cluster has failed, and delete what it no longer needs."""
        assert record.cluster is not None
        fields = ended_fields(record.cluster, ClusterState.FAILED, reason, at=now(), log_tail=list(log_tail))
        model = record.cluster.model_copy(update=fields)
        self.clear_secrets(folder)
        self.write(folder, record.model_copy(update={"cluster": model}))
        note_end(folder, model)

    def sweep(self) -> None:
        """Delete what an interrupted creation left. Call it while holding ``exclusive``."""
        for folder in self.folders():
            # Folders are made under the same lock, so this one is not being made.
            if not os.path.lexists(folder.state) and not lock.is_held(folder.lock):
                self.delete(folder)

    def clear_secrets(self, folder: Folder) -> None:
        """Delete what an ended cluster does not need: credentials, dashboard address, links, socket, spilled data."""
        folders = (folder.tls, folder.comm, folder.scratch, folder.multiprocessing)
        files = (folder.dashboard, folder.links, folder.links_lock, folder.socket, folder.secret, folder.process)
        for path in (*folders, *files, folder.reserve):
            # A problem in one folder must not hide the list of all clusters.
            with suppress(OSError):
                if path.is_dir() and not path.is_symlink():
                    shutil.rmtree(path, ignore_errors=True)
                else:
                    path.unlink(missing_ok=True)

    def delete(self, folder: Folder) -> None:
        """Delete a folder; what its cells did stays in the history. Its supervisor must be gone."""
        history.keep(folder)
        self._cache.pop(folder.id, None)
        shutil.rmtree(folder.path, ignore_errors=True)
        remove_semaphores(folder.id)


def _unreadable(folder: Folder) -> str | None:
    """Return why the record of a folder cannot be read; ``None``: there is none."""
    try:
        os.close(open_own_file(folder.state))
    except FileNotFoundError:
        return None
    except OSError as error:
        return f"{folder.state}: {error.strerror or error}"
    return f"{folder.state}: is corrupted"
