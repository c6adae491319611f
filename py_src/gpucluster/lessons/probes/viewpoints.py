"""How much memory is in use? The answers of all who can be asked, beside each other."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...dask_internals.scheduler_information import known_workers
from ...dask_internals.spilling import has_device_tiers, managed_bytes, tier_bytes
from ...protocol.sizes import format_size
from .devicepools import has_device

if TYPE_CHECKING:
    from ..lab import Lab


@dataclass(frozen=True)
class View:
    """What one of them says.

    Attributes
    ----------
    who : str
        Who was asked.
    nbytes : int
        What the answer is.
    counts : str
        What is counted.
    """

    who: str
    nbytes: int
    counts: str


class Views(list[View]):
    """The answers, as lines of text."""

    def __repr__(self) -> str:
        width = max(len(view.who) for view in self)
        return "\n".join(f"{view.who:<{width}}  {format_size(view.nbytes):>9}  {view.counts}" for view in self)


def views(lab: Lab) -> Views:
    """Ask on one worker: Dask, the libraries that allocate, and the operating system or the driver."""
    function = _on_device if has_device(lab) else _on_host
    answers = lab.client.run(function, workers=list(known_workers(lab.client))).values()
    # Of the worker that holds most: elsewhere there may be nothing to see.
    return Views(View(*one) for one in max(answers, key=lambda found: found[0][1]))


def _on_host(dask_worker: Any) -> list[tuple[str, int, str]]:
    import psutil

    process = psutil.Process()
    return [
        ("Dask", int(managed_bytes(dask_worker)), "results that this worker has"),
        ("operating system", int(process.memory_info().rss), "all memory of the process: libraries too"),
        ("the machine", int(psutil.virtual_memory().used), "all processes of all people"),
    ]


def _on_device(dask_worker: Any) -> list[tuple[str, int, str]]:
    found = []
    if has_device_tiers(dask_worker):
        found.append(("Dask", int(tier_bytes(dask_worker, "device") or 0), "results of tasks in GPU memory"))
    with suppress(ImportError):
        import cupy

        used = int(cupy.get_default_memory_pool().used_bytes())
        found.append(("CuPy's own pool", used, "arrays of CuPy only, and not those that RMM gave it"))
    with suppress(ImportError):
        found += _of_rmm()
    with suppress(ImportError):
        import cupy

        free, total = cupy.cuda.runtime.memGetInfo()
        found.append(("the driver", int(total - free), "the whole GPU: all processes, their contexts, whole pools"))
    return found


def _of_rmm() -> list[tuple[str, int, str]]:
    import rmm

    found: list[tuple[str, int, str]] = []
    resource = rmm.mr.get_current_device_resource()
    while resource is not None:
        if hasattr(resource, "get_allocated_bytes"):
            found.append(("RMM, given out", int(resource.get_allocated_bytes()), "what libraries hold by RMM just now"))
        if hasattr(resource, "pool_size"):
            found.append(("RMM, pool", int(resource.pool_size()), "taken from the GPU, in use or not"))
        resource = getattr(resource, "upstream_mr", None)
    return found
