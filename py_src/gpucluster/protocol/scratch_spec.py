"""The option of kinds whose workers spill to a disk of this machine, beside those of other kinds."""

from __future__ import annotations

from pydantic import Field

from .machine_spec import MachineSpec
from .sizes import MemorySizeOrAuto
from .spec_base import shown_in


class ScratchSpec(MachineSpec):
    """Options of kinds whose workers spill to a disk of this machine."""

    scratch_limit: MemorySizeOrAuto | None = Field(
        "auto",
        title="Scratch, at most",
        description="What all workers together may spill to disk: a size ('20 GiB'), a share of the disk ('10%'), "
        "'auto' for half of what is free when the cluster starts, or of what the site leaves you where that is less, "
        "or none for no limit, which a site may refuse. What does not fit stays in memory.",
        json_schema_extra=shown_in("Memory", advanced=True),
    )
