"""Routes that other packages add, by entry points of the group ``gpucluster.routes``.

The object of such an entry point is an ``AddedRoutes``. It is imported when the server starts, so it imports neither
Dask nor CUDA.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter

from ..protocol.entry_points import Loaded, load_all
from .openapi import Operation

if TYPE_CHECKING:
    from .extension import GPUClusterExtension

Rule = tuple[str, type, dict[str, Any]]  # Pattern, handler and its arguments.


@dataclass(frozen=True)
class AddedRoutes:
    """What one entry point adds.

    * `rules`: returns the rules for a server, given its extension: patterns below ``gpucluster/api/``, and handlers
      derived from ``ClusterAPIHandler``. ``control`` and ``standby`` are added to their arguments.
    * `operations`: what the OpenAPI document says of them, one for each method.
    * `models`: what the operations name as answer or body.
    """

    rules: Callable[[GPUClusterExtension], Iterable[Rule]]
    operations: Sequence[Operation] = ()
    models: Mapping[str, TypeAdapter[Any]] = field(default_factory=dict)


def find_added() -> list[Loaded]:
    """Return what installed packages add, and what of it cannot be used."""
    return load_all("gpucluster.routes", AddedRoutes)


def usable() -> list[AddedRoutes]:
    return [found.value for found in find_added() if found.problem is None]
