"""Who has which GPU of a machine, and who waits for one: what every user of it may see of the others."""

from __future__ import annotations

from pydantic import Field

from .models import WireModel


class SlotHolder(WireModel):
    """Somebody who has a GPU, or a slot of one. Whose cluster is never told by its name."""

    user: str | None = Field(description="Name of the user, by the kernel; null: this system does not tell.")
    slot: int | None = Field(
        None, description="Number of the slot; null: the site gives out none, or it has no number."
    )
    since: str | None = None
    ends_at: str | None = Field(None, description="Until when at most, as the holder says; null: nobody knows.")
    mine: bool = Field(False, description="Whether it is whoever asks.")
    beyond: bool = Field(False, description="Whether the GPU had as many claims as it has slots before this one.")


class SharedDevice(WireModel):
    """One GPU or MIG slice, with those who have it."""

    uuid: str
    index: int | None = None
    name: str | None = None
    slots: int | None = Field(None, description="How many the site gives out; null: it gives out none of this GPU.")
    free: int | None = Field(None, description="So many slots are nobody's; null: the site gives out none.")
    reserved: bool = Field(False, description="Whether the site gives it to nobody.")
    utilization_percent: float | None = None
    holders: list[SlotHolder] = Field(default_factory=list)


class Waiting(WireModel):
    """A place in line."""

    user: str | None = None
    since: str | None = Field(
        None, description="null: it is another user's, who could say anything. Nobody else knows since when."
    )
    gpus: int = Field(description="How many it waits for.")
    certain: bool = Field(False, description="Whether it waits for certain GPUs.")
    mine: bool = Field(False, description="Whether it is whoever asks.")


class More(WireModel):
    """What a user has beyond what is told one by one."""

    user: str | None = None
    above: int = Field(0, description="Claims above the user's limit; they keep nobody out.")
    claims: int = Field(0, description="Other claims.")
    places: int = Field(0, description="Places in line.")
    mine: bool = Field(False, description="Whether it is whoever asks.")


class NodeModel(WireModel):
    """One machine."""

    devices: list[SharedDevice]
    line: list[Waiting] = Field(description="The first one first.")
    more: list[More] = Field(default_factory=list, description="What is not told one by one, by user.")
    message: str = Field(description="A sentence where nothing can be told; else empty.")
    instructor: bool = Field(
        False,
        description="Whether whoever asks is an instructor of this site, who may message and stop others.",
    )
