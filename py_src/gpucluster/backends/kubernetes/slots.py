"""One slot: a worker that was asked for, the operator's deployment for it, and its pod."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from ...protocol.plain_text import printable
from ..deployment import Slot, SlotState
from .pods import Thing, Verdict


@dataclass
class PodSlot:
    """What is known of one worker and its pod."""

    name: str
    """Of the worker, and of its deployment."""
    state: SlotState = SlotState.PENDING
    since: datetime = field(default_factory=lambda: datetime.now(UTC))
    why: str | None = None
    there: bool = True
    """Whether its deployment is there."""
    pod: Thing | None = None
    verdict: Verdict | None = None
    """Why it is not connected, as it was last seen."""
    came: bool = False
    """Whether its worker was connected ever."""
    incarnation: tuple[str, int] | None = None
    """Its pod, and how often its container was started anew, as last seen."""
    addresses: set[str] = field(default_factory=set)
    """Of all pods that it has had."""

    @property
    def living(self) -> bool:
        """Whether it counts: neither over nor told to end."""
        return self.state in {SlotState.PENDING, SlotState.RUNNING}

    def saw(self, pod: Thing | None, verdict: Verdict) -> bool:
        """Note what was found; returns whether a worker of it has ended that nobody had told to."""
        before, now = self.incarnation, incarnation(pod)
        self.there, self.pod, self.verdict, self.incarnation = True, pod, verdict, now
        if (address := address_of(pod)) is not None:
            self.addresses.add(address)
        return self.came and before is not None and before != now and self.state is not SlotState.LEAVING

    def update(self, here: Collection[str]) -> bool:
        """Find out the state; returns whether the slot is there no more.

        Parameters
        ----------
        here : collection of str
            Names of the connected workers.
        """
        if self.state is SlotState.LEAVING:
            return not self.there and self.name not in here
        state, why = self._look(here)
        if state is not self.state:
            self.since = datetime.now(UTC)
        self.state, self.why = state, why
        return False

    def _look(self, here: Collection[str]) -> tuple[SlotState, str | None]:
        if not self.there:
            return SlotState.LOST, "somebody has deleted its deployment"
        if self.name in here:
            self.came = True
            return SlotState.RUNNING, None
        verdict = self.verdict or Verdict("its pod is made")
        return (SlotState.FAILED if verdict.hopeless else SlotState.PENDING), verdict.why

    def is_stale(self, host: str) -> bool:
        """Whether a worker at that address of a pod cannot be there any more: another pod has taken its place."""
        return host in self.addresses and host != address_of(self.pod)

    def leave(self) -> None:
        """Note that it was told to end."""
        if self.state is not SlotState.LEAVING:
            self.state, self.since, self.why = SlotState.LEAVING, datetime.now(UTC), None

    def model(self) -> Slot:
        """Return it as the supervisor sees it."""
        return Slot(self.name, self.state, self.since, self.why, self._node())

    def _node(self) -> str | None:
        name = (self.pod or {}).get("spec", {}).get("nodeName")
        return printable(str(name), 60) if name and self.state is SlotState.RUNNING else None


def incarnation(pod: Thing | None) -> tuple[str, int] | None:
    """Return which pod it is, and how often its container was started anew."""
    if pod is None:
        return None
    statuses: Sequence[Thing] = pod.get("status", {}).get("containerStatuses") or ({},)
    return str(pod["metadata"].get("uid")), int(statuses[0].get("restartCount", 0))


def address_of(pod: Thing | None) -> str | None:
    """Return the address of a pod, once it has one."""
    return None if pod is None else pod.get("status", {}).get("podIP")
