"""How the GPUs of a machine are assigned at a site."""

from __future__ import annotations

from dataclasses import dataclass

from ..protocol.models import DeviceModel
from ..protocol.plain_text import counted


@dataclass(frozen=True)
class GPUPolicy:
    """The site's settings; the default is for a machine without a site."""

    slots: int | None = None
    """Number of slots of each whole GPU; ``None``: GPUs that are all taken are shared, without a queue."""
    reserved: frozenset[int | str] = frozenset()  # Indices and UUIDs of GPUs that are not assigned.
    all_reserved: bool = False  # Whether none is assigned, because the reserved ones cannot be read.
    per_user: int | None = None  # Limit of claims per user.
    lifetime: int | None = None  # Seconds that a cluster may run.

    def gives(self, device: DeviceModel, parent: DeviceModel | None = None) -> bool:
        """Whether a device is assigned; a slice is not if its GPU is not."""
        names = {device.uuid, device.index} | ({parent.uuid, parent.index} if parent is not None else set())
        return not self.all_reserved and not names & self.reserved

    def fault(self, wanted: int, had: int = 0) -> str | None:
        """Return why the site does not allow that many GPUs or slots for a user who has some, or ``None``."""
        if self.per_user is None or wanted <= max(0, self.per_user - had):
            return None
        return (
            f"Each user may have {counted(self.per_user, 'GPU or slot', 'GPUs or slots')} at a time at this site; "
            f"{f'your clusters have {had} and ' if had else ''}this one asks for {wanted}. "
            f"{'Stop a cluster' if had else 'Ask for fewer workers'}."
        )

    def parts(self, device: DeviceModel) -> int:
        """Return how many clusters may have a device at a time: a MIG slice is a part already."""
        return 1 if self.slots is None or device.parent_uuid is not None else self.slots


DEFAULT = GPUPolicy()
