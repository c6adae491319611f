"""Messages between an instructor and the clusters of a class, and what interfaces show of them."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, Field, model_validator

from .models import ClusterState
from .plain_text import printable
from .telemetry import WireModel

LONGEST_TEXT = 500
MOST_GPUS = 64


def _plain(text: str) -> str:
    text = " ".join(text.split())
    if not text:
        raise ValueError("must not be empty")
    return printable(text)


def _plain_or_empty(text: str) -> str:
    return _plain(text) if text.strip() else ""


PlainText = Annotated[str, Field(max_length=LONGEST_TEXT), AfterValidator(_plain)]
Reason = Annotated[str, Field(max_length=LONGEST_TEXT), AfterValidator(_plain_or_empty)]
_Word = Annotated[str, Field(max_length=80), AfterValidator(printable)]
_Time = Annotated[str, Field(max_length=40, pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(Z|\+00:00)$")]


class HeldGPU(BaseModel, frozen=True, extra="ignore"):
    """A GPU, or a slot of one, that a cluster has."""

    uuid: _Word
    slot: int | None = Field(None, ge=1, le=999)
    slots: int = Field(1, ge=1, le=999)


class ClusterFacts(BaseModel, frozen=True, extra="ignore"):
    """What a cluster reports to an instructor, but for its name and what it computes. Unknown fields are ignored."""

    version: int = 1
    id: str | None = Field(None, pattern=r"^[0-9a-f]{8}$")  # The cluster's, even if its socket has another name.
    kind: _Word
    state: ClusterState
    n_workers: int = Field(ge=0, le=1_000_000)
    gpus: list[HeldGPU] = Field(default_factory=list, max_length=MOST_GPUS)
    since: _Time
    idle_since: _Time | None = None


class InstructorRequest(BaseModel, frozen=True, extra="forbid"):
    """A request of an instructor to a cluster."""

    ask: Literal["message", "stop"]
    text: Reason = Field("", description="The message, or why it is stopped.")

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.ask == "message" and not self.text:
            raise ValueError("text: must not be empty")
        return self


class InstructorAnswer(BaseModel, frozen=True, extra="ignore"):
    """The result of a request."""

    done: bool
    message: Annotated[str, Field(max_length=LONGEST_TEXT), AfterValidator(printable)] = ""


class ClassCluster(WireModel):
    """One cluster of a user of this machine, as an instructor sees it."""

    id: str
    user: str = Field(description="Name of the user, by the kernel.")
    mine: bool = Field(False, description="Whether it is the instructor's own.")
    kind: str | None = None
    kind_title: str | None = Field(None, description="Label before the word 'workers', such as 'CPU'.")
    state: ClusterState | None = Field(None, description="null if it does not respond.")
    n_workers: int = 0
    gpus: list[str] = Field(default_factory=list, description="Each in a few words: '0, slot 2 of 4'.")
    since: str | None = None
    idle_since: str | None = None
    problem: str | None = Field(None, description="Why nothing is known about it, as text.")
    times: int = Field(1, description="Number of this user's clusters that are unknown for this reason; listed once.")


class ClassClusters(WireModel):
    """The clusters of all users of this machine."""

    clusters: list[ClassCluster] = Field(description="By user.")
    left_out: int = Field(0, description="Entries that are not shown, as a user has too many.")


class ClassMessage(WireModel):
    """A message for the owner of clusters."""

    user: str | None = Field(None, max_length=100, description="User whose clusters are meant; null means all others.")
    text: PlainText


class ClassStop(WireModel):
    """A request to stop a user's clusters."""

    user: str = Field(max_length=100, min_length=1)
    reason: Reason = ""


class ClassAnswer(WireModel):
    """The result of a message or a stop."""

    reached: int = Field(description="Number of clusters.")
    users: list[str] = Field(description="Whose.")
    problems: list[str] = Field(default_factory=list, description="Messages about clusters that could not be reached.")


class SlotHolder(WireModel):
    """The holder of a GPU or a slot, without the name of the cluster."""

    user: str | None = Field(description="Name of the user, from the kernel; null if this system does not report it.")
    slot: int | None = Field(None, description="Number of the slot; null without slots, or if it has none.")
    since: str | None = None
    ends_at: str | None = Field(None, description="Latest end, as the holder reports; null if unknown.")
    mine: bool = Field(False, description="Whether it is the user who asks.")
    beyond: bool = Field(False, description="Whether it has more claims than slots, and this one no slot's number.")


class SharedDevice(WireModel):
    """One GPU or MIG slice, with its holders."""

    uuid: str
    index: int | None = None
    name: str | None = None
    slots: int | None = Field(None, description="Number of slots of this GPU; null if the site has none.")
    free: int | None = Field(None, description="Number of free slots; null if the site has none.")
    reserved: bool = Field(False, description="Whether the site reserves it.")
    utilization_percent: float | None = None
    holders: list[SlotHolder] = Field(default_factory=list, description="By number of the claim, not by age.")


class Waiting(WireModel):
    """A place in the queue."""

    user: str | None = None
    since: str | None = Field(None, description="null for another user's, whose statement cannot be verified.")
    gpus: int = Field(description="How many it waits for.")
    certain: bool = Field(False, description="Whether it waits for certain GPUs.")
    mine: bool = Field(False, description="Whether it is the user who asks.")


class More(WireModel):
    """What a user has beyond what is listed individually."""

    user: str | None = None
    above: int = Field(0, description="Claims above the user's limit, which are ignored.")
    claims: int = Field(0, description="Other claims.")
    places: int = Field(0, description="Places in the queue.")
    mine: bool = Field(False, description="Whether it is the user who asks.")


class NodeModel(WireModel):
    """One machine."""

    devices: list[SharedDevice]
    line: list[Waiting] = Field(description="The first one first.")
    more: list[More] = Field(default_factory=list, description="Summary by user of what is not listed individually.")
    message: str = Field(description="A message if nothing can be reported; otherwise empty.")
    instructor: bool = Field(False, description="Whether the user who asks is an instructor, who may stop others.")
