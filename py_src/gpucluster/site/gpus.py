"""How the GPUs of this machine are given out, as the site says."""

from __future__ import annotations

from ..sharing.policy import GPUPolicy
from .reading import this_site


def gpu_policy() -> GPUPolicy:
    """Return what the site says of its GPUs now."""
    sharing = this_site().sharing
    return GPUPolicy(
        slots=sharing.slots_per_gpu,
        reserved=sharing.reserved_gpus,
        all_reserved=sharing.all_reserved,
        per_user=sharing.per_user.gpus,
        lifetime=sharing.per_user.walltime,
    )
