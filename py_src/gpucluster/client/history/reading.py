"""``gpucluster.history`` and ``compare_runs``: what cells and scripts computed, also long ago."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from ...protocol.cells import CellWork, History, HistorySums, WorkSum
from ...protocol.errors import InvalidRequest, refused_field
from ...protocol.plain_text import escaped
from ...registry import history as kept
from ...registry.store import Registry
from .comparing import RunComparison, compare

if TYPE_CHECKING:
    import pandas as pd

_LEAST_OF_AN_ID = 4  # Letters.
_OF_A_ROW = (
    "kernel", "cell", "code", "client", "by_time", "ended", "lost", "n_workers", "n_threads", "n_lost_workers",
    "waiting_seconds", "memory_peak_bytes", "vram_peak_bytes", "spilled_peak_bytes", "moved_bytes", "cost", "cost_unit",
)  # fmt: skip
_SUMS = ("n_tasks", "n_failed", "n_cancelled", "compute_seconds", "transfer_seconds", "result_bytes")


def read_history(registry: Registry, work: str | None = None) -> History:
    """Return what is kept, oldest first; `work`: only what it means. Raises `InvalidRequest`: nothing is meant."""
    found = kept.read(registry.directory, registry.folders())
    if work is None:
        return History(cells=found)
    chosen = [cell for cell in found if any(_means(part, cell) for part in work.split(","))]
    if not chosen:
        raise InvalidRequest(
            f"Nothing in the history is named '{escaped(work[:80])}'. Name a cluster, a notebook, a client or the id "
            "of a cell, as 'gpucluster history' lists them; NAME@2026-11-29 selects that day."
        )
    return History(cells=chosen)


SUMMED_BY: Mapping[str, Callable[[CellWork], str]] = {
    "day": lambda cell: datetime.fromisoformat(cell.began).astimezone().date().isoformat(),
    "notebook": lambda cell: cell.client if cell.by_time else cell.notebook or "unknown",
    "cluster": lambda cell: "unknown" if cell.where is None else cell.where.cluster,
}


def sum_history(registry: Registry, work: str | None, by: str) -> HistorySums:
    """Return the sums of the history by one of `SUMMED_BY`. Raises `InvalidRequest`."""
    together: dict[str, list[CellWork]] = {}
    for cell in read_history(registry, work).cells:
        together.setdefault(SUMMED_BY[by](cell), []).append(cell)
    return HistorySums(sums=[_sum(name, cells) for name, cells in together.items()])


def _sum(name: str, cells: list[CellWork]) -> WorkSum:
    costs: dict[str, float] = {}
    for cell in cells:
        if cell.cost is not None and cell.cost_unit is not None:
            costs[cell.cost_unit] = costs.get(cell.cost_unit, 0.0) + cell.cost
    return WorkSum(
        name=name,
        n_runs=len(cells),
        seconds=sum(cell.seconds or 0.0 for cell in cells),
        n_tasks=sum(int(cell.total("n_tasks")) for cell in cells),
        compute_seconds=sum(cell.total("compute_seconds") for cell in cells),
        cost=costs,
    )


def compare_history(registry: Registry, first: str, second: str) -> RunComparison:
    """Compare two selections of the history. Raises `InvalidRequest`: one is empty, or they have nothing in common."""
    return compare(read_history(registry, first).cells, read_history(registry, second).cells)


def _means(text: str, cell: CellWork) -> bool:
    """Return whether a part of a selection means this piece of work: ``NAME``, ``@DAY`` or ``NAME@DAY``."""
    name, _, moment = text.strip().partition("@")
    local = datetime.fromisoformat(cell.began).astimezone().isoformat()
    if not local.startswith(moment.strip().replace(" ", "T")):
        return False
    if not name:
        return bool(moment)
    where = {cell.where.cluster, cell.where.cluster_id} if cell.where is not None else set()
    notebook = cell.notebook_name
    names = {*where, cell.id, cell.key, cell.client, cell.name, cell.notebook}
    names |= {notebook, notebook.removesuffix(".ipynb")}
    begin = (cell.key, cell.kernel or "", cell.client) if len(name) >= _LEAST_OF_AN_ID else ()
    return name in names or any(id.startswith(name) for id in begin)


def history(work: str | None = None, *, by: Literal["work", "group"] = "work") -> pd.DataFrame:
    """Return what cells and scripts computed, as a data frame; also on clusters that are gone.

    Parameters
    ----------
    work : str, optional
        Only these: the name of a cluster or notebook, a client, or the id of a cell; ``"etl@2026-11-29"``: of that day,
        in local time; several with commas between them.
    by : str
        ``"work"``: a row per piece of work; ``"group"``: a row per kind of its tasks.

    Returns
    -------
    pandas.DataFrame
        Indexed by the beginning in UTC, and the id that ``gpucluster history`` shows.

    Raises
    ------
    InvalidRequest

    Examples
    --------
    >>> gpucluster.history("etl").seconds.describe()  # doctest: +SKIP
    """
    import pandas as pd

    if by not in ("work", "group"):
        raise refused_field("by", f"must be 'work' or 'group', not {str(by)[:40]!r}")
    cells = read_history(Registry(), work).cells
    if by == "group":
        heads = [({"began": cell.began, "id": cell.key, "work": cell.name}, cell.groups) for cell in cells]
        rows = [head | group.model_dump() for head, groups in heads for group in groups]
    else:
        rows = [_row(cell) for cell in cells]
    frame = pd.DataFrame(rows, columns=None if rows else ["began", "id"])
    frame["began"] = pd.to_datetime(frame["began"], utc=True, format="ISO8601")
    return frame.set_index(["began", "id"])


def _row(cell: CellWork) -> dict[str, Any]:
    where = cell.where
    return {
        "began": cell.began,
        "id": cell.key,
        "name": cell.name,
        "cluster": where.cluster if where is not None else None,
        "host": where.host if where is not None else None,
        "seconds": cell.seconds,
        **{name: cell.total(name) for name in _SUMS},
        **{name: getattr(cell, name) for name in _OF_A_ROW},
        **{f"version_{name}": version for name, version in (where.versions if where is not None else {}).items()},
    }


def compare_runs(first: str, second: str) -> RunComparison:
    """Compare two pieces of work, or several runs of the same with several others: which groups of tasks got slower.

    Parameters
    ----------
    first, second : str
        As ``work`` of `history`: such as ``"etl@2026-11-28"`` and ``"etl@2026-11-29"``.

    Returns
    -------
    RunComparison
        ``slower`` names the groups; with fewer than four runs of each there is no verdict.

    Raises
    ------
    InvalidRequest

    Examples
    --------
    >>> print(gpucluster.compare_runs("before", "after"))  # doctest: +SKIP
    """
    return compare_history(Registry(), first, second)
