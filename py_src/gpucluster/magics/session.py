"""Run the lines of one notebook."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from ..cli import actions, recordings, sites, tables
from ..cli.answers import ANSWERS
from ..cli.arguments import HelpWanted
from ..cli.changes import CHANGES, Change
from ..cli.commands import MAGIC, Subcommand
from ..cli.verbs import find_verb, overview, parser_for
from ..client.cluster import Cluster
from ..client.control import Control
from ..client.display.card import LiveText
from ..client.display.dashboard import jupyter_base_url
from ..client.libraries import Libraries, libraries_for, use_libraries
from ..protocol.errors import GPUClusterError, RecordingNotFound
from ..protocol.models import ClusterModel, ClusterState
from ..protocol.recordings import RecordingWritten
from ..site.reading import new_troubles
from .line import Expansion, may_expand, split_line

if TYPE_CHECKING:
    from distributed import Client
    from IPython.core.interactiveshell import InteractiveShell

    from ..client.recorder import Recorder

_CLOSE_SECONDS = 2
_sessions: WeakKeyDictionary[InteractiveShell, Session] = WeakKeyDictionary()


def session_of(shell: InteractiveShell) -> Session:
    """Return the session of a shell, created at its first use."""
    if shell not in _sessions:
        _sessions[shell] = Session(shell)
    return _sessions[shell]


class Connection:
    """Holds the last client, and closes it when another one replaces it."""

    def __init__(self) -> None:
        self._client: Client | None = None
        self._cluster_id: str | None = None

    def open(self, cluster: Cluster) -> tuple[Client, Libraries]:
        """Connect to a cluster, and choose its libraries. `InvalidState`: not running; the old connection stays."""
        client = cluster.get_client()
        self.close()
        self._client, self._cluster_id = client, cluster.id
        libraries = libraries_for(has_gpus=cluster.model.has_gpus)
        use_libraries(libraries)
        return client, libraries

    @property
    def client(self) -> Client | None:
        """The last client, unless it was closed here."""
        return self._client

    @property
    def cluster_id(self) -> str | None:
        """Id of its cluster, while it is connected."""
        return self._cluster_id if self._client is not None and self._client.status == "running" else None

    def close(self, cluster_id: str | None = None) -> None:
        """Close the client, if there is one (and it belongs to that cluster)."""
        if self._client is None or cluster_id not in {None, self._cluster_id}:
            return
        client: Any = self._client
        self._client = self._cluster_id = None
        # Its cluster may be long gone.
        with suppress(Exception):
            client.close(timeout=_CLOSE_SECONDS)


class Session:
    """State of the magic between two lines: connection and recordings. `shell`: where the lines are typed."""

    def __init__(self, shell: InteractiveShell) -> None:
        self._shell = shell
        self._namespace: dict[str, Any] = shell.user_ns
        self._notebook = getattr(shell, "kernel", None) is not None
        self._connection = Connection()
        self._recorders: list[Recorder] = []

    def run(self, line: str, cell: str | None = None, names: Mapping[str, Any] | None = None) -> None:
        """Carry out one line. A refusal is a message on standard error, never a traceback."""
        begins_cell = line.split()[:1] in (["lease"], ["profile"])
        if cell is not None and (begins_cell or line.split()[:1] == ["notify"]):
            # Called by a program; in a typed cell it is a line magic already.
            self._shell.run_cell(f"%gpucluster {line}\n{cell}")  # type: ignore[no-untyped-call]
            return
        expand = Expansion(self._namespace if names is None else names)
        try:
            verb, *words = split_line(line, cell, expand) or ["help"]
            if verb in {"-h", "--help"}:
                verb = "help"
            found = parser_for(verb, MAGIC).read(words)
            control = Control()
            control.meant = self._connection.cluster_id
            if verb in ANSWERS:
                _write(ANSWERS[verb](control, found)[1])
            elif verb in CHANGES:
                self._change(CHANGES[verb], control, found)
            elif (added := find_verb(verb)) is not None and added.run is not None:
                self._added(added, found)
            else:
                getattr(self, f"_{verb}")(control, found)
        except HelpWanted as wanted:
            if begins_cell and may_expand(line):  # A request for help, with a cell below it.
                from .cells import CellNotRun

                raise CellNotRun(wanted.text) from None
            _write(wanted.text)
        except GPUClusterError as error:
            message = f"{error.message} {expand.problem}" if expand.problem else error.message
            if begins_cell:  # The rest of the cell must not run, nor seem to have run.
                from .cells import CellNotRun

                raise CellNotRun(message) from None
            _complain(message)
        except actions.Cancelled as cancelled:
            _complain(str(cancelled))

    # -- verbs -----------------------------------------------------------------------------------

    def _create(self, control: Control, found: Namespace) -> None:
        if (preview := actions.previewed(control, found)) is not None:
            _write("\n".join([*(f"# {note}" for note in preview.notes), preview.text or ""]))
            return
        for trouble in new_troubles():
            _tell(trouble)
        with LiveText(notebook=self._notebook) as live:
            model = actions.create(control, found, live, _tell)
            live.replace(Cluster(model, control.asynchronous))
        if getattr(found, "connect", False):
            self._connect_to(control, model)
        else:
            _write(f"To compute on it: %gpucluster connect {model.name}")

    def _connect(self, control: Control, found: Namespace) -> None:
        self._connect_to(control, actions.named(control, found))

    def _change(self, change: Change, control: Control, found: Namespace) -> None:
        with LiveText(notebook=self._notebook) as live:
            if change.meanwhile:
                live.say(change.meanwhile)
            model = change.make(control, found, live, _tell)
        _write(change.said(model))

    def _logs(self, control: Control, found: Namespace) -> None:
        _write("\n".join(actions.logs(control, found).lines))

    def _gauges(self, control: Control, found: Namespace) -> None:
        self._show(Cluster(actions.named(control, found), control.asynchronous).gauges())

    def _record(self, control: Control, found: Namespace) -> None:
        if getattr(found, "stop", False):
            ended = self._stop_recordings(getattr(found, "name", None) or getattr(found, "file", None))
            _write("\n".join(map(recordings.written_line, ended)) or "Nothing is being recorded here.")
            return
        recorder = recordings.recorder_of(control, found)
        recorder.start()
        self._recorders.append(recorder)
        _write(f"Recording {recorder.cluster} to {recorder.path}. '%gpucluster record --stop' stops it.")

    def _replay(self, control: Control, found: Namespace) -> None:
        from ..client.api import replay

        self._show(replay(found.file, speed=recordings.speed_of(found)))

    def _dashboard(self, control: Control, found: Namespace) -> None:
        model = actions.named(control, found)
        page = actions.dashboard_page(found)
        if self._notebook and jupyter_base_url() is not None:
            self._show(Cluster(model, control.asynchronous).dashboard(page.path))
        else:
            _write(actions.dashboard_link(control, model, page))

    def _profile(self, control: Control, found: Namespace) -> None:
        from .cells import ProfiledCell

        ProfiledCell(self._shell, found, self._connection.client)

    def _lease(self, control: Control, found: Namespace) -> None:
        from .cells import LeasedCell

        for trouble in new_troubles():
            _tell(trouble)
        wanted = actions.leased(control, found, _tell)
        LeasedCell(self._shell, control, wanted, actions.timeout_of(found), notebook=self._notebook)

    def _notify(self, control: Control, found: Namespace) -> None:
        from .cells import NotifiedCell

        NotifiedCell(self._shell, control, actions.named(control, found), getattr(found, "title", None), _complain)

    def _added(self, verb: Subcommand, found: Namespace) -> None:
        assert verb.run is not None
        with LiveText(notebook=self._notebook) as live:
            answer = verb.run(found, live.say)
        _write("\n".join([answer.text, *answer.notes]))
        for line in answer.warnings:
            _complain(line)

    def _share(self, control: Control, found: Namespace) -> None:
        from ..cli.sharing import share

        answer = share(control, found)
        _write(answer.text)
        for note in (*answer.warnings, *answer.notes):
            _tell(note)

    def _stop(self, control: Control, found: Namespace) -> None:
        models = actions.to_stop(control, found)
        for model in models:
            self._connection.close(model.id)  # First, or the client would report a lost connection.
        with LiveText(notebook=self._notebook) as live:
            if models:
                live.say("Stopping " + ", ".join(model.name for model in models))
            ended = actions.stop(control, models, found)
        _write("\n".join(map(tables.ending, ended)) or "No cluster is running.")

    def _node(self, control: Control, found: Namespace) -> None:
        from ..cli import node_actions

        _write(node_actions.carry_out(node_actions.read(found))[1])

    def _site(self, control: Control, found: Namespace) -> None:
        _write(sites.text(sites.look(getattr(found, "file", None))))

    def _help(self, control: Control, found: Namespace) -> None:
        verb = " ".join(getattr(found, "verb", ()))
        _write(parser_for(verb, MAGIC).format_help() if verb else overview(MAGIC))

    # -- parts -----------------------------------------------------------------------------------

    def _show(self, view: Any) -> None:
        from IPython.display import display

        display(view)  # type: ignore[no-untyped-call]

    def _stop_recordings(self, name: str | None) -> list[RecordingWritten]:
        """Stop all, or those of one cluster, and return what was written; also of those that have ended already."""
        ending = [recorder for recorder in self._recorders if name in {None, recorder.cluster}]
        if name is not None and not ending:
            names = ", ".join(dict.fromkeys(recorder.cluster for recorder in self._recorders)) or "none"
            raise RecordingNotFound(
                f"'{name[:60]}' is not being recorded in this notebook. Active recordings: {names}."
            )
        self._recorders = [recorder for recorder in self._recorders if recorder not in ending]
        return [recorder.stop() for recorder in ending]

    def _connect_to(self, control: Control, model: ClusterModel) -> None:
        from ..client.api import connect

        if model.state is ClusterState.STARTING:
            with LiveText(notebook=self._notebook) as live:
                model = actions.wait(control, model.id, actions.WAIT_SECONDS, live)
        cluster = connect(model.id)
        client, libraries = self._connection.open(cluster)
        self._namespace.update(client=client, cluster=cluster)
        made = f" Dask makes {libraries.arrays} arrays and {libraries.frames} data frames."
        _write(
            f"Connected to {tables.worker_line(model)}. 'client' and 'cluster' are set."
            + (made if libraries.arrays == "cupy" else "")
        )
        if libraries.warning:
            _complain(libraries.warning)


def _write(text: str) -> None:
    sys.stdout.write(text.rstrip("\n") + "\n")


def _tell(note: str) -> None:
    _write(f"Note: {note}")


def _complain(text: str) -> None:
    sys.stderr.write(text + "\n")
