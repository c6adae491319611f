"""``GPUClusterExtension``: settings, long-lived objects, start and stop, and notifications while no browser is open."""

from __future__ import annotations

import asyncio
import logging
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from jupyter_server.extension.application import ExtensionApp
from traitlets import Bool, Dict, Enum, Float, List, TraitError, Unicode, validate

from ..client.control import AsyncControl
from ..protocol.errors import GPUClusterError
from ..protocol.models import ClusterChanged, ClusterModel, ClusterState, Hello
from ..protocol.plain_text import plain_log, printable
from ..site.reading import narrow_this_site, new_troubles, this_site
from ..site.server_settings import narrowed, server_limits, server_presets, wider
from .added_routes import Rule, find_added
from .api import UnavailableHandler
from .catalog import PresetList
from .dashboards import DashboardClient
from .dask_panel import DaskLabextensionServer, panel_rules, put_first
from .devices import DeviceReader, HostWatch, notebooks_by_pid
from .event_stream import EventPump
from .recordings import RecordingFolder
from .routes import Services, routes
from .server_use import UseOfServer
from .shared_view.events import ViewFeeds
from .shared_view.routes import SharedViews, shared_routes
from .shared_view.sessions import LinkPolicy, OpenViews, ViewSessions, is_of_a_hub
from .standby import StandbyKeeper

RESTART = "Correct that, and restart the Jupyter server."
NOT_LOADED = f"gpucluster's server extension could not be loaded; see the log of the Jupyter server. {RESTART}"


class ExtensionNotLoaded(GPUClusterError):
    """The server extension has settings that it cannot use, or failed while it was loaded."""

    code = "extension_not_loaded"
    http_status = 500


class GPUClusterExtension(ExtensionApp):
    """GPU Dask clusters in the Jupyter server.

    The server starts and stops clusters but holds none: each runs in separate processes and outlives the server.
    """

    name = "gpucluster"
    services: Services | None = None
    hook: NotifyHook | None = None
    use: UseOfServer | None = None
    _failed: GPUClusterError | None = None  # Why nothing works until the server is restarted.

    standby = Bool(
        True,
        help="""Keep one idle process per user with an open panel (about 100 MB), so that the next cluster starts at
        once.""",
    ).tag(config=True)

    standby_idle_seconds = Float(600.0, min=1.0, help="Seconds without use after which the idle process stops.").tag(
        config=True
    )

    presets = List(
        Dict(),
        help="""Presets for the creation form, shown after the built-in ones:
        {"name": ..., "title": ..., "description": ..., "spec": {"backend": "local", "n_workers": 2}}.
        They replace presets of the same name, built-in or in the site file.""",
    ).tag(config=True)

    limits = Dict(
        help="""Limits of clusters created through this server, where lower than the site file's:
        {"n_workers": 4, "threads_per_worker": 2, "memory_limit": "4 GiB", "idle_timeout_seconds": 3600,
        "walltime": "24:00:00", "kinds": ["local", "auto"]}. Keys have the file's meaning; all are optional. Higher
        limits than the file's are ignored, with a warning in the log at startup."""
    ).tag(config=True)

    cluster_directory = Unicode(
        "", help="Working directory of clusters created through this server. Default: the server's root directory."
    ).tag(config=True)

    lessons_folder = Unicode(
        "gpucluster-lessons",
        help="""Folder of learners' copies of the lessons and their progress, absolute or relative to the server's root
        directory. Files outside the root directory cannot be opened in the browser.""",
    ).tag(config=True)

    recordings_folder = Unicode(
        "gpucluster-recordings", help="Folder of recordings made in the panel, relative to the server's root directory."
    ).tag(config=True)

    class_folder = Unicode(
        "",
        help="""For instructors: the folder of learners' shared progress. JupyterLab then shows where each learner is,
        and what fails most.""",
    ).tag(config=True)

    notify_command = List(
        Unicode(),
        help="""Program and arguments to run for each event, even without a browser, as in
        ["notify-send", "{message}"]. {message}, {cluster} and {kind} are filled in, without a shell. See
        docs/notices.md.""",
    ).tag(config=True)

    stop_processes = Bool(
        True,
        help="""Whether users may stop their own processes that use a GPU, or only see them.""",
    ).tag(config=True)

    shared_links = Bool(
        True,
        help="""Whether this server creates and shows read-only links to clusters. See docs/sharing.md.""",
    ).tag(config=True)

    activity_hours = Float(
        24.0,
        min=0.0,
        help="""For this many hours after the last request, kernel message or terminal use, running tasks keep the
        server from being stopped as idle (JupyterHub's idle culler, ServerApp.shutdown_no_activity_timeout).
        0: never.""",
    ).tag(config=True)

    gauges_count_as_activity = Bool(
        False,
        help="""Whether an open page with gauges counts as activity, too, for the same time. A hub's proxy may count all
        traffic regardless; see docs/hub.md.""",
    ).tag(config=True)

    assistants = Enum(
        ["off", "look", "change"],
        default_value="look",
        help="""What assistants (tools of jupyter_server_mcp, such as Jupyter AI's) may do: nothing, look at clusters
        and GPUs, or also start, scale and stop clusters within the limits. Their server needs no password.""",
    ).tag(config=True)

    dask_labextension = Enum(
        ["beside", "instead", "off"],
        default_value="beside",
        help="""Whether the panel of dask-labextension shows our clusters: 'beside' its own, 'instead' of them, or
        'off'. See docs/dask-labextension.md.""",
    ).tag(config=True)

    @validate("limits")
    def _checked_limits(self, proposal: Any) -> Any:
        try:
            server_limits(proposal["value"])
        except ValueError as error:
            raise TraitError(f"GPUClusterExtension.{error}") from None
        return proposal["value"]

    @property
    def plain_log(self) -> logging.Logger:
        """The log, with text of others made harmless."""
        return plain_log(self.log)

    @property
    def root(self) -> Path:
        """The server's root directory: files outside it cannot be opened in the browser."""
        return Path(self.serverapp.root_dir if self.serverapp else "").expanduser().absolute()

    def initialize_handlers(self) -> None:
        if self._failed is None:
            try:
                self._build()
            except Exception as error:
                if self._raises:
                    raise
                self.plain_log.error("gpucluster could not be loaded: %s", error, exc_info=True)
                self._failed = ExtensionNotLoaded(NOT_LOADED)
                self.services = self.hook = self.use = None
        if self._failed is not None:
            self.handlers[:] = [(r"gpucluster/(?:api|dashboard)/.*", UnavailableHandler, {"error": self._failed})]

    def _link_jupyter_server_extension(self, serverapp: Any) -> None:
        """Read the settings. If they are wrong, every request is answered with the error."""
        try:
            super()._link_jupyter_server_extension(serverapp)
        except Exception as error:
            if self._raises:
                raise
            fault = str(error) if isinstance(error, TraitError) else f"{type(error).__name__}: {error}"
            fault = printable(fault.rstrip("."), 500)
            message = f"The settings of gpucluster's server extension cannot be used: {fault}. {RESTART}"
            self.plain_log.error("%s", message)
            self._failed = ExtensionNotLoaded(message)
            self._linked = True

    @property
    def _raises(self) -> bool:
        """Whether an extension's exception should end the server."""
        return bool(self.serverapp and self.serverapp.reraise_server_extension_failures)

    def _build(self) -> None:
        control = AsyncControl(by="JupyterLab", later=True)
        try:
            control.registry.check_directory()
        except GPUClusterError as error:  # Requests are answered with this until it is corrected.
            self.plain_log.error("Clusters are not available: %s", error.message)
        self._narrow_site()
        devices = DeviceReader(control, self._notebooks, self.plain_log, may_stop=self.stop_processes)
        sessions = ViewSessions(control.registry, LinkPolicy(shows=self.shared_links, hub=is_of_a_hub()))
        self.services = Services(
            control=control,
            standby=StandbyKeeper(
                control, enabled=self.standby, idle_seconds=self.standby_idle_seconds, log=self.plain_log
            ),
            presets=PresetList(self.plain_log),
            devices=devices,
            pump=EventPump(control, HostWatch(devices), self.plain_log),
            dashboards=DashboardClient(),
            directory=self.cluster_directory or (self.serverapp.root_dir if self.serverapp else ""),
            recordings=RecordingFolder(self.root, self.recordings_folder),
            shared=SharedViews(sessions, OpenViews(sessions), ViewFeeds(control, self.plain_log)),
            stop_processes=self.stop_processes,
            added=self._added_rules(),
        )
        self.hook = NotifyHook(control, self.notify_command, self.plain_log)
        pump = self.services.pump
        if self.serverapp is not None:
            self.use = UseOfServer(
                control.registry,
                self.serverapp.web_app,
                hours=self.activity_hours,
                watched=lambda: self.gauges_count_as_activity and pump.running,
                log=self.plain_log,
            )
        self.handlers.extend(routes(self.services))
        self.handlers.extend(shared_routes(self.services.shared, control, self.services.dashboards))
        self._answer_dask_panel(self.services)

    def _narrow_site(self) -> None:
        limits, (presets, faults) = server_limits(self.limits), server_presets(self.presets)
        narrow_this_site(None)
        for message in (*new_troubles(), *faults, *wider(this_site(), limits)):
            self.plain_log.warning("%s", message)
        narrow_this_site(lambda site: narrowed(site, limits, presets))

    def _added_rules(self) -> list[Rule]:
        rules: list[Rule] = []
        for found in find_added():
            if found.problem is None:
                rules += found.value.rules(self)
            else:
                self.plain_log.warning("The routes %s", found.problem)
        return rules

    def _answer_dask_panel(self, services: Services) -> None:
        if self.serverapp is None or self.dask_labextension == "off":
            return
        application = self.serverapp.web_app
        beside = DaskLabextensionServer(application, ignored=self.dask_labextension == "instead", log=self.plain_log)
        put_first(application, panel_rules(services, beside, application.settings["base_url"]))

    async def _start_jupyter_server_extension(self, serverapp: Any) -> None:
        for part in (self.hook, self.use):
            if part is not None:
                part.start()

    async def stop_extension(self) -> None:
        """Release what belongs to the server; the clusters stay."""
        narrow_this_site(None)
        if self.services is not None:
            self.services.control.registry.wait_no_more()
        for part in (self.hook, self.use):
            if part is not None:
                await part.close()
        if self.services is not None:
            await self.services.shared.close()
            await self.services.pump.close()
            self.services.dashboards.close()
            await self.services.standby.close()

    async def _notebooks(self) -> dict[int, str]:
        if self.serverapp is None:
            return {}
        return await notebooks_by_pid(self.serverapp.session_manager, self.serverapp.kernel_manager)


SECONDS = 30.0  # Timeout of a command.
MOST_WAITING = 20  # Further news, as of workers that die in succession, are dropped.
RETRY_SECONDS = 30.0


class NotifyHook:
    """Runs a command for each piece of news, one after another.

    `control`: where the news come from. `command`: program and arguments, in which ``{message}``, ``{cluster}`` and
    ``{kind}`` are filled in. No shell reads them.
    """

    def __init__(self, control: AsyncControl, command: Sequence[str], log: logging.Logger) -> None:
        self._control = control
        self._command = list(command)
        self._log = log
        self._known: dict[str, ClusterModel] = {}  # Reported states, by cluster.
        self._waiting: asyncio.Queue[tuple[str, str, str]] = asyncio.Queue(MOST_WAITING)
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Start to watch, if there is a command; needs a running event loop."""
        if self._command:
            self._tasks = [asyncio.create_task(self._watch()), asyncio.create_task(self._run_all())]

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)
        self._tasks = []

    async def _watch(self) -> None:
        while True:
            try:
                async for event in self._control.events(telemetry=False):
                    if isinstance(event, Hello):
                        # Earlier news were reported already, or belong to another server.
                        self._known = {model.id: model for model in event.clusters} | self._known
                        for model in event.clusters:
                            self._note(model)
                    elif isinstance(event, ClusterChanged):
                        self._note(event.cluster)
            except GPUClusterError as error:
                self._log.warning("Cluster events are temporarily not reported: %s", error.message)
            except Exception as error:
                self._log.warning("Cluster events are temporarily not reported: %s", error, exc_info=True)
            await asyncio.sleep(RETRY_SECONDS)

    def _note(self, model: ClusterModel) -> None:
        for kind, message in self._news(model):
            with suppress(asyncio.QueueFull):
                self._waiting.put_nowait((model.name, kind, message))
        self._known[model.id] = model

    def _news(self, model: ClusterModel) -> Iterator[tuple[str, str]]:
        known = self._known.get(model.id)
        for entry in model.news:
            if known is None or entry not in known.news:
                yield entry.kind, entry.message
        if model.state is ClusterState.FAILED and (known is None or known.state is not ClusterState.FAILED):
            yield "failed", printable(f"It has failed. {model.reason or ''}".strip(), 140)

    async def _run_all(self) -> None:
        while True:
            try:
                await self._run(*await self._waiting.get())
            except Exception as error:
                self._log.warning("The notify_command could not be run: %s", error)

    async def _run(self, cluster: str, kind: str, message: str) -> None:
        # The message starts with the cluster's name, which starts with a letter, so it is never an option.
        filled = {"{message}": f"{cluster}: {message}", "{cluster}": cluster, "{kind}": kind}
        arguments = [_fill(argument, filled) for argument in self._command]
        process = await asyncio.create_subprocess_exec(
            *arguments,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
            cwd=os.path.expanduser("~"),
            start_new_session=True,
        )
        try:
            async with asyncio.timeout(SECONDS):
                status = await process.wait()
        except TimeoutError:
            self._log.warning("The notify_command did not finish within %.0f seconds and was killed.", SECONDS)
        else:
            if status:
                self._log.warning("The notify_command exited with status %d.", status)
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()


def _fill(argument: str, filled: dict[str, str]) -> str:
    """Fill in all names at once, since a value may contain another name."""
    return re.sub("|".join(map(re.escape, filled)), lambda found: filled[found[0]], argument)
