"""What exists: ``ClusterModel`` and its parts, ``DeviceModel``, ``Event``.

Wire conventions: snake_case; numbers with their unit in the name, never formatted; times as UTC ISO
strings; absent and null mean the same; a figure that is not measured is null, never zero.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BeforeValidator, Field, SerializeAsAny, TypeAdapter, WithJsonSchema

from .cells import CellProgress
from .errors import FieldError
from .kinds import read_spec
from .messages import NEWS, Message, MessageCode, Said, saying
from .plain_text import printable
from .spec import Adapt, SpecBase, UnknownSpec
from .telemetry import ActivityEntry, TelemetrySample, WireModel
from .verbs import Verb, known_verbs
from .version import PROTOCOL_VERSION


class ClusterState(StrEnum):
    """State of a cluster."""

    STARTING = "starting"
    RUNNING = "running"
    SCALING = "scaling"
    STOPPING = "stopping"
    STOPPED = "stopped"
    FAILED = "failed"

    @property
    def ended(self) -> bool:
        """Whether nothing of the cluster runs any more."""
        return self in {ClusterState.STOPPED, ClusterState.FAILED}


_OPEN = {**UnknownSpec.model_json_schema(mode="serialization"), "title": "ClusterSpec"}
AnySpec: TypeAlias = Annotated[SerializeAsAny[SpecBase], BeforeValidator(read_spec), WithJsonSchema(_OPEN)]
"""The spec of a cluster that exists: of any kind, also one that is not installed here."""


class Network(StrEnum):
    """Protection of a cluster's messages."""

    UNIX = "unix"  # Sockets in a private folder: no port is open.
    TLS = "tls"  # Encryption with the cluster's own credentials.
    OPEN = "open"  # Nothing.

    @classmethod
    def of(cls, protocol: str) -> Network:
        """Return the protection of a protocol."""
        return cls(protocol) if protocol in {cls.UNIX, cls.TLS} else cls.OPEN


class Progress(WireModel):
    """What a cluster is doing now, for users."""

    step: str = Field(description="Stable name of the step, such as 'workers'.")
    message: str = Field(description="The step in a few words, such as 'Waiting for workers'.")
    done: int | None = Field(None, description="How many are done, where that can be counted.")
    total: int | None = Field(None, description="Of how many.")


class Wanted(WireModel):
    """The last request, which the supervisor carries out."""

    n_workers: int | None = Field(None, description="Wanted number of workers; null while starting or adapting.")
    adapt: Adapt | None = Field(None, description="Bounds of adaptive scaling, if it is on.")
    stopped: bool = Field(False, description="Whether the cluster was asked to stop.")


class Idle(WireModel):
    """The idle timer."""

    timeout_seconds: int | None = Field(None, description="Idle time after which the cluster stops; null means never.")
    idle_since: str | None = Field(None, description="Start of the idle time: no connection and no computation.")
    stops_at: str | None = Field(None, description="When the cluster will stop itself unless it is used.")
    quiet_since: str | None = Field(
        None, description="Since when no task runs, with clients or without; null while some do."
    )
    kept_by: str | None = Field(None, description="What keeps an idle cluster running, such as 'holds 3 results'.")


class WorkerModel(WireModel):
    """One Dask worker."""

    name: str = Field(description="Name within the cluster.")
    address: str | None = Field(None, description="Address of the worker, once it has one.")
    pid: int | None = Field(None, description="Process id, on the worker's own machine.")
    n_threads: int = Field(description="Threads that run tasks.")
    memory_limit_bytes: int | None = Field(None, description="Host memory limit; null if there is none.")
    device: str | None = Field(None, description="UUID or index of the worker's GPU; null on CPU workers.")


class Versions(WireModel):
    """Versions in the cluster's Python environment."""

    gpucluster: str
    python: str
    distributed: str | None = None
    dask_cuda: str | None = None


class RunningRecording(WireModel):
    """A recording in progress, by the cluster's own process."""

    path: str = Field(description="The file that it will be, on the cluster's machine.")
    since: str


class Cost(WireModel):
    """Cost of a cluster, by the rates of its site."""

    unit: str = Field(description="What is counted, such as 'node-hours'.")
    amount: float = Field(description="Amount until ``at``.")
    per_hour: float = Field(description="Amount per hour, as long as its workers do not change.")
    at: str

    def until(self, time: datetime) -> float:
        """Return the cost until a time."""
        hours = (time - datetime.fromisoformat(self.at)).total_seconds() / 3600
        return self.amount + self.per_hour * max(0.0, hours)


class GPUSlot(WireModel):
    """A GPU, or a part of one, that a cluster has until it ends."""

    uuid: str = Field(description="UUID of the GPU or MIG slice.")
    index: int | None = Field(None, description="Index of the GPU; null for MIG slices.")
    slot: int | None = Field(None, description="Number of the slot, from 1; null for all, or without a number.")
    slots: int = Field(1, description="Into how many slots the site divides it.")
    memory_bytes: int | None = Field(None, description="GPU memory of the slot.")
    label: str = Field(description="What it is and what keeps others out of it, for people.")


class Lease(WireModel):
    """The purpose and holder of a temporary cluster, which ends with either of them."""

    scope: Literal["cell", "block", "command"] = Field(
        description="What it was taken for: a cell of a notebook, a block of Python, or a command of a shell."
    )
    holder: str = Field(description="Its holder, such as 'notebook, process 4711'.")
    pid: int = Field(description="Process id of the holder.")
    birth: str = Field(description="Distinguishes the process from others that later have the same id.")


class ClusterModel(WireModel):
    """One cluster, in all interfaces."""

    id: str = Field(description="Identifier, never used again.")
    name: str = Field(description="Name, unique among running clusters.")
    backend: str = Field(description="Kind of cluster that runs, such as 'local'; 'auto' until it is decided.")
    backend_title: str = Field("", description="Label before the word 'workers', such as 'CPU'; may be empty.")
    state: ClusterState
    messages: list[Message] = Field(
        default_factory=list,
        description="Messages for users, oldest first: the last ten events, and the last three of instructors.",
    )
    progress: Progress | None = Field(None, description="What is happening, while something is.")
    wanted: Wanted
    can: Annotated[tuple[Verb, ...], BeforeValidator(known_verbs)] = Field(
        (), description="What can be requested now, besides stop; verbs of newer versions are omitted."
    )
    has_gpus: bool = Field(False, description="Whether its workers have GPUs.")
    n_workers: int = Field(0, description="Number of workers that are connected now.")
    n_pending: int = Field(0, description="Number of workers that were requested and have not started yet.")
    n_recomputing: int = Field(0, description="Number of results lost with workers and not recomputed yet.")
    workers: list[WorkerModel] = Field(default_factory=list)
    slots: list[GPUSlot] = Field(default_factory=list, description="GPUs here, or slots of them, as long as it lives.")
    nodes: list[str] = Field(default_factory=list, description="Other machines with workers of it: 'n1: 2 GPUs'.")
    memory_limit_bytes: int | None = Field(
        None,
        description="Host memory that each of its workers may use, 0 for no limit; null if not known yet, or if they "
        "are elsewhere.",
    )
    scratch_limit_bytes: int | None = Field(
        None,
        description="What its workers may spill to this machine's disk together; null means all of it.",
    )
    ends_at: str | None = Field(None, description="When its first job reaches its time limit; null if none does.")
    lease: Lease | None = Field(None, description="Holder with which it ends; null if it has none.")
    cost: Cost | None = Field(None, description="What it has cost; null if its site has no costs.")
    scheduler_address: str | None = Field(None, description="Address for distributed.Client, once running.")
    network: Network = Field(Network.UNIX, description="How access is restricted.")
    dashboard_path: str | None = Field(None, description="The dashboard's path below Jupyter's base URL, once running.")
    n_clients: int = Field(0, description="Connected clients, but for those that workers make for their tasks.")
    kernels: list[str] = Field(default_factory=list, description="Ids of the Jupyter kernels that have such a client.")
    idle: Idle
    recording: RunningRecording | None = Field(None, description="What is being recorded; null if nothing is.")
    pid: int | None = Field(None, description="Process id of the supervisor.")
    python: str = Field(description="Python executable of the cluster.")
    versions: Versions | None = None
    created_at: str
    running_at: str | None = None
    ended_at: str | None = None
    start_seconds: float | None = Field(None, description="Time from the request until running.")
    log_tail: list[str] = Field(default_factory=list, description="End of the log, when the cluster failed.")
    spec: AnySpec = Field(description="What was requested, in the kind's own model.")
    protocol_version: int = PROTOCOL_VERSION

    def said(self, *codes: MessageCode) -> list[Message]:
        """Return the messages with one of these codes, oldest first."""
        return [message for message in self.messages if message.code in codes]

    def saying(self, said: Said, **changes: Any) -> ClusterModel:
        """Return a copy with the messages of some codes replaced, and other changed fields."""
        return self.model_copy(update={"messages": saying(self.messages, said), **changes})

    @property
    def reason(self) -> str | None:
        """Why the cluster failed or stopped."""
        return self._text(MessageCode.ENDED, MessageCode.FAILED)

    @property
    def notice(self) -> str | None:
        """While it runs, what the last request could not do, or what is wrong now."""
        return self._text(MessageCode.NOTICE)

    @property
    def backend_reason(self) -> str | None:
        """Why 'auto' chose this kind."""
        return self._text(MessageCode.CHOICE)

    @property
    def pending_reason(self) -> str | None:
        """Why workers have not started, if known."""
        return self._text(MessageCode.PENDING)

    @property
    def waiting(self) -> str | None:
        """How many of how many wait and why, such as '3 of 4 jobs wait: Resources'."""
        found = [message for message in self.said(MessageCode.PENDING) if message.subject is not None]
        return f"{found[0].subject}: {found[0].text}" if found else None

    @property
    def notes(self) -> list[str]:
        """Notes on the request."""
        return [message.text for message in self.said(MessageCode.NOTE)]

    @property
    def warnings(self) -> list[str]:
        """Warnings about a running cluster."""
        return [message.text for message in self.said(MessageCode.WARNING)]

    @property
    def news(self) -> list[ActivityEntry]:
        """Events to show once, newest last; at most ten, each of at most 140 characters."""
        return [_news(message) for message in self.said(*NEWS)][-10:]

    def _text(self, *codes: MessageCode) -> str | None:
        return next((message.text for message in self.said(*codes)), None)


def _news(message: Message) -> ActivityEntry:
    kind = MessageCode.WORKER_DIED if message.code is MessageCode.WORKER_MEMORY else message.code
    of_instructor = message.code is MessageCode.MESSAGE
    text = f"Instructor {message.subject}: {message.text}" if of_instructor else message.text
    by = None if of_instructor else message.subject
    return ActivityEntry(at=message.time or "", kind=kind.value, by=by, message=printable(text, 140))


class DeviceProcess(WireModel):
    """A process that uses a GPU of this machine."""

    pid: int
    user: str | None = None
    command: str | None = Field(None, description="Name of the program.")
    memory_used_bytes: int | None = None
    cluster: str | None = Field(None, description="Name of the cluster that it belongs to.")
    notebook: str | None = Field(None, description="Path of the kernel's notebook; the kernel, if only that is known.")
    role: Literal["kernel", "supervisor", "worker", "child", "other", "outside"] = Field(
        "other",
        description="What it is: a notebook's kernel, a cluster's own process, a worker, a process that one of those "
        "has started, any other one; 'outside': of another container, or just gone.",
    )
    worker: str | None = Field(None, description="Name of the worker that it is, or that has started it.")
    parent_pid: int | None = Field(None, description="The nearest of its ancestors that uses this GPU, too.")
    tree_memory_bytes: int | None = Field(None, description="GPU memory with all it started; null if not measured.")
    birth: str | None = Field(None, description="Distinguishes processes with the same id; null for others'.")
    can_stop: bool = Field(False, description="Whether it is one's own and may be stopped from here.")


class XIDModel(WireModel):
    """A numbered error of a GPU that the driver has reported."""

    number: int = Field(description="XID, as in NVIDIA's list.")
    at: str
    meaning: str | None = Field(None, description="What it means, in a few words; null if only NVIDIA's list has it.")


class DeviceModel(WireModel):
    """One GPU, or one MIG slice, of this machine."""

    uuid: str
    index: int | None = Field(None, description="Index in NVML (PCI bus) order; null for MIG slices.")
    name: str | None = None
    memory_total_bytes: int | None = None
    memory_used_bytes: int | None = Field(None, description="Used by programs, as nvidia-smi reports it.")
    memory_reserved_bytes: int | None = Field(None, description="Kept by the driver: neither used nor free.")
    utilization_percent: float | None = None
    power_watts: float | None = None
    power_limit_watts: float | None = None
    temperature_celsius: float | None = None
    parent_uuid: str | None = Field(None, description="For a MIG slice, the GPU it is cut from.")
    mig_enabled: bool = Field(False, description="Whether this GPU is divided into MIG slices.")
    visible: bool = Field(True, description="Whether CUDA_VISIBLE_DEVICES allows it.")
    error: str | None = Field(None, description="Why this device cannot be read.")
    error_since: str | None = Field(None, description="Since when that has been seen.")
    xids: list[XIDModel] = Field(default_factory=list, description="The last five events since it is monitored.")
    processes: list[DeviceProcess] = Field(default_factory=list)


class HostDevices(WireModel):
    """The GPUs on this machine, with a message about them or why there are none."""

    available: bool = Field(description="Whether at least one GPU can be used.")
    message: str = Field(description="A message for users, such as 'No GPU here: clusters use CPU workers.'")
    code: str = Field(
        description="'ok', 'no_library', 'no_driver', 'version_mismatch', 'no_permission', 'no_devices', 'hidden' "
        "or 'error'."
    )
    driver_version: str | None = None
    devices: list[DeviceModel] = Field(default_factory=list)
    host_memory_total_bytes: int | None = None
    host_memory_available_bytes: int | None = None
    cpu_count: int | None = None


class ClusterChanged(WireModel):
    """A cluster is new or has changed; carries the whole model."""

    kind: Literal["cluster"] = "cluster"
    cluster: ClusterModel


class ClusterRemoved(WireModel):
    """An ended cluster's entry was removed from the list."""

    kind: Literal["removed"] = "removed"
    id: str


class Telemetry(WireModel):
    """A sample of one cluster."""

    kind: Literal["telemetry"] = "telemetry"
    sample: TelemetrySample


class CellsChanged(WireModel):
    """How far the cells are that compute on a cluster, or have done so in the last seconds."""

    kind: Literal["cells"] = "cells"
    id: str = Field(description="Cluster.")
    cells: list[CellProgress]


class HostChanged(WireModel):
    """A reading of the GPUs of the Jupyter server's machine."""

    kind: Literal["host"] = "host"
    host: HostDevices


class Hello(WireModel):
    """First message of a stream: the complete list."""

    kind: Literal["hello"] = "hello"
    protocol_version: int = PROTOCOL_VERSION
    clusters: list[ClusterModel]


Event: TypeAlias = Annotated[
    ClusterChanged | ClusterRemoved | Telemetry | CellsChanged | HostChanged | Hello, Field(discriminator="kind")
]
"""Message of the event stream, by ``kind``."""

EVENT: TypeAdapter[Event] = TypeAdapter(Event)


class ClusterList(WireModel):
    """All clusters."""

    clusters: list[ClusterModel]
    protocol_version: int = PROTOCOL_VERSION


class Demand(WireModel):
    """What a cluster would take of its machine, and what the machine has."""

    n_workers: int
    threads_per_worker: int = Field(description="Threads that run tasks.")
    memory_limit_bytes: int | None = Field(None, description="Host memory that each worker may use; null if unlimited.")
    machine_memory_bytes: int
    machine_cores: int


class Notes(WireModel):
    """Notes on a request before it is made."""

    notes: list[str] = Field(description="Messages for users.")
    demand: Demand | None = Field(None, description="Of a new cluster on this machine; null if unknown.")
    fields: list[FieldError] = Field(
        default_factory=list,
        description="Errors for which the request would be refused, by field. If there are any, there are no other "
        "messages.",
    )


class Announcement(WireModel):
    """What a client has done with a cluster, for all its users."""

    message: str = Field(min_length=1, max_length=140, description="What is done.")
    kind: Literal["done", "not_done", "profile", "link"] = Field(
        "done",
        description="done: a user waits for it and is notified; not_done: it failed or was cancelled; profile: "
        "the cluster has been measured; link: a link was created or opened.",
    )


class ResultsReleased(WireModel):
    """Results that a notebook should release."""

    name: str = Field(min_length=1, max_length=1000, description="The variables, or the name in `LargeResult`.")
    group: str = Field(min_length=1, max_length=1000, description="As in `LargeResult`.")
    kernel: str = Field(min_length=1, max_length=200, description="Id of the notebook's kernel.")


class NewRecording(WireModel):
    """Where to record what a cluster's gauges show."""

    file: str = Field(min_length=1, max_length=4096, description="Path of a file that does not exist yet.")


class StopProcess(WireModel):
    """Which process to stop."""

    birth: str = Field(min_length=1, max_length=200, description="As reported with the process.")


class ProcessStopped(WireModel):
    """Result of stopping a process."""

    pid: int
    ended: bool = Field(description="Whether it is gone.")


class LogLines(WireModel):
    """End of a cluster's log."""

    id: str
    lines: list[str]


class Submission(WireModel):
    """What is submitted to start the workers, as to a batch system, to read and copy."""

    text: str | None = Field(None, description="Such as a batch script; null if nothing is submitted.")
    notes: list[str] = Field(default_factory=list, description="Notes about it, such as the expected start.")
    offered: dict[str, Any] | None = Field(None, description="Options of the site: JSON Schema by name; null if none.")


class MemoryPart(WireModel):
    """A part of a worker's memory, for the picture of a preset."""

    kind: Literal["pool", "use", "spill", "free"]
    share: float = Field(description="Of the memory, 0 to 1.")
    text: str = Field(description="What it is for, in a few words.")


class OfferedPreset(WireModel):
    """A preset as a form shows it."""

    name: str
    title: str
    description: str
    needs_gpu: bool
    spec: dict[str, object]
    memory_title: str = Field(description="Whose memory the parts are of.")
    memory: list[MemoryPart] = Field(description="What happens to the memory; empty if unknown.")


class Preset(WireModel):
    """A named starting point for a cluster: some fields of a kind."""

    name: str = Field(min_length=1, max_length=100)
    title: str = Field(min_length=1, max_length=200)
    description: str
    needs_gpu: bool = False
    spec: dict[str, object] = Field(description="Fields of a spec; ``backend`` is among them.")


class SiteFaults(WireModel):
    """What is wrong with the site's file, and its message of the day."""

    faults: list[str] = Field(description="As 'gpucluster site' prints them; empty if the user cannot change the file.")
    notice: str | None = Field(description="What it means for all users; null if nothing.")
    message: str | None = Field(None, description="The site's message of the day; null if there is none.")
