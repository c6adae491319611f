"""``banner("flights")``: how large a table is, and how many different rows there really are."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any, Literal

from ...protocol.sizes import format_size

Kind = Literal["real", "derived", "tiled"]
_WORDS = {
    "real": "real: records, each row once",
    "derived": "derived: made from real records by a fixed rule",
    "tiled": "tiled: copies of real records, for load tests only; they add no information",
}
_FROM_DATASETS: dict[str, Kind] = {"records": "real", "derived": "derived", "copies": "tiled"}


@dataclass(frozen=True)
class Banner:
    """What a lesson says about a large table or array before it is used.

    Attributes
    ----------
    distinct_source_rows : int
        Number of distinct records, however many rows the table has.
    disk_bytes : int or None
        Size of the files; None when it is stored nowhere.
    """

    title: str
    kind: Kind
    rows: int
    columns: int
    memory_bytes: int
    disk_bytes: int | None
    distinct_source_rows: int

    def _lines(self) -> list[tuple[str, str]]:
        return [
            ("rows", f"{self.rows:,} × {self.columns:,} columns"),
            ("in memory", f"{format_size(self.memory_bytes)} ({self.memory_bytes:,} bytes)"),
            ("on disk", "not stored" if self.disk_bytes is None else format_size(self.disk_bytes)),
            ("distinct source rows", f"{self.distinct_source_rows:,}"),
            ("kind", _WORDS[self.kind]),
        ]

    def __repr__(self) -> str:
        return "\n".join([self.title, *(f"  {label + ':':<22}{text}" for label, text in self._lines())])

    def _repr_html_(self) -> str:
        cells = "".join(
            f'<tr><th style="text-align:left">{escape(label)}</th><td style="text-align:left">{escape(text)}</td></tr>'
            for label, text in self._lines()
        )
        return f"<div><b>{escape(self.title)}</b><table>{cells}</table></div>"


def banner(
    data: Any,
    *,
    kind: Kind | None = None,
    distinct: int | None = None,
    title: str | None = None,
    files: str | Path | Sequence[str | Path] | None = None,
    **options: Any,
) -> Banner:
    """Say rows, bytes in memory, bytes on disk, distinct source rows, and whether it is real, derived or tiled.

    Parameters
    ----------
    data : str, data frame or array
        Name of a data set of `gpucluster.datasets`, such as ``"flights"``; or your own table or array, lazy or not.
        The rows and bytes of a lazy table are counted by the workers.
    kind : {"real", "derived", "tiled"}
        Needed for your own data.
    distinct : int
        Needed for your own data: how many different source rows there are.
    title : str, optional
        First line; left out: the name of the data set, or "your data".
    files : path or sequence of paths, optional
        Where your own data is stored; left out: it is not.
    **options
        Those of the data set that change its size, such as ``copies=4`` for ``"flights"``.

    Returns
    -------
    Banner
        It shows itself at the end of a cell.
    """
    if isinstance(data, str):
        from ...datasets import describe

        known = describe(data, **options)
        return Banner(title or known.name, kind or _FROM_DATASETS[known.kind], known.rows, known.columns,
                      known.memory_bytes, known.disk_bytes, known.distinct_source_rows)  # fmt: skip
    if options:
        raise TypeError(f"{next(iter(options))!r} requires the name of a data set.")
    if kind not in _WORDS or distinct is None:
        raise TypeError('Specify the kind of your data: banner(data, kind="real", "derived" or "tiled", distinct=...).')
    rows, columns, size = _measure(data)
    return Banner(title or "your data", kind, rows, columns, size, _stored(files), int(distinct))


def _measure(data: Any) -> tuple[int, int, int]:
    """Return rows, columns and bytes in memory."""
    if not hasattr(data, "memory_usage"):  # an array: its shape says it all
        rows = int(data.shape[0]) if data.ndim else 1
        return rows, int(data.size) // rows if rows else 0, int(data.nbytes)
    if hasattr(data, "to_delayed"):
        from dask.base import compute

        rows, used = compute(data.shape[0], data.memory_usage(deep=True, index=False).sum())
    else:
        rows, used = len(data), data.memory_usage(deep=True, index=False).sum()
    return int(rows), len(data.columns), int(used)


def _stored(files: str | Path | Sequence[str | Path] | None) -> int | None:
    if files is None:
        return None
    paths = [files] if isinstance(files, (str, Path)) else list(files)
    return sum(_size(Path(path)) for path in paths)


def _size(path: Path) -> int:
    inner = path.rglob("*") if path.is_dir() else [path]
    return sum(file.stat().st_size for file in inner if file.is_file())
