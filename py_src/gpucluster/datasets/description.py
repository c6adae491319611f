"""Size, kind and source of the data sets."""

from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any, Literal

from ..protocol.sizes import format_size
from . import airborne, tables
from .errors import InvalidOption
from .options import whole_number
from .pictures import (
    ATTRIBUTION,
    CHANNELS,
    DIGITS,
    HEIGHT,
    NAMES,
    PIXELS_OF_A_DIGIT,
    WIDTH,
    chosen_photos,
    patches_per_photo,
)

Kind = Literal["records", "derived", "copies"]
_WORDS = {
    "records": "records, each row once",
    "derived": "derived from records by a fixed rule, block by block, never stored",
    "copies": "copies of records, for load tests only: they add no information",
}


@dataclass(frozen=True)
class Description:
    """Size, kind and source of a data set."""

    name: str
    kind: Kind
    rows: int
    columns: int
    memory_bytes: int  # Of all rows at once, in memory.
    disk_bytes: int  # Of the files that the rows come from.
    distinct_source_rows: int  # Number of different records, pixels or pictures.
    source: str  # Origin, licence and attribution.

    def __str__(self) -> str:
        rows = [
            ("rows", f"{self.rows:,} × {self.columns:,} columns"),
            ("in memory", format_size(self.memory_bytes)),
            ("on disk", format_size(self.disk_bytes)),
            ("distinct source rows", f"{self.distinct_source_rows:,}"),
            ("these are", _WORDS[self.kind]),
            ("source", self.source),
        ]
        return "\n".join([self.name, *(f"  {label + ':':<22}{value}" for label, value in rows)])

    def _repr_html_(self) -> str:
        head, *lines = str(self).splitlines()
        rows = (line.strip().partition(":") for line in lines)
        cells = "".join(
            f'<tr><th style="text-align:left">{escape(label)}</th><td style="text-align:left">{escape(text)}</td></tr>'
            for label, _, text in rows
        )
        return f"<div><b>{escape(head)}</b><table>{cells}</table></div>"


def describe(name: str, **options: Any) -> Description:
    """Return the size of a data set, on disk and in memory, its kind and its source, without reading it.

    Parameters
    ----------
    name : str
        Of a function of this package, such as ``"flights"`` or ``"patches"``.
    **options
        Those of the function that change the size: ``copies`` of flights, ``size`` and ``photo`` of patches.

    Raises
    ------
    InvalidOption
        No such data set or option.

    Examples
    --------
    >>> describe("flight_minutes").rows
    49326610
    """
    if name not in _DESCRIBED:
        raise InvalidOption(f"name: unknown data set {name!r}; available: {', '.join(_DESCRIBED)}.")
    function, allowed = _DESCRIBED[name]
    for option in options:
        if option not in allowed:
            raise InvalidOption(f"{option}: does not change the size of '{name}'.")
    return function(name, **options)


def _table(name: str, copies: int = 1) -> Description:
    whole_number(copies, "copies", most=10_000)
    table = tables.stored_tables()[name]
    origin = tables.source()
    extra = 4 * table.rows if copies > 1 else 0
    return Description(
        name if copies == 1 else f"{name}, {copies} copies",
        "records" if copies == 1 else "copies",
        table.rows * copies,
        table.columns + (copies > 1),
        (table.memory_bytes + extra) * copies,
        table.bytes,
        table.rows,
        f"{origin['package']} ({origin['licence']}), {origin['url']}",
    )


def _minutes(name: str) -> Description:
    flights = _table("flights")
    row_bytes = sum(dtype.itemsize for dtype in airborne.DTYPES.values())
    return Description(
        name, "derived", airborne.ROWS, len(airborne.DTYPES), airborne.ROWS * row_bytes, flights.disk_bytes,
        flights.rows, flights.source,
    )  # fmt: skip


def _photos(name: str) -> Description:
    size = len(NAMES) * HEIGHT * WIDTH * CHANNELS
    return Description(name, "records", len(NAMES), size // len(NAMES), size, _photo_bytes(NAMES), len(NAMES),
                       ATTRIBUTION)  # fmt: skip


def _patches(name: str, size: int = 8, photo: Any = None) -> Description:
    if name == "pixels":
        size, photo = 1, photo or NAMES[0]
    chosen = chosen_photos(size, photo)
    rows, columns = len(chosen) * patches_per_photo(size), size * size * CHANNELS
    return Description(
        name if name == "pixels" else f"{name} of {size} × {size} pixels",
        "records" if size == 1 else "derived",
        rows,
        columns,
        rows * columns * 4,
        _photo_bytes(chosen),
        len(chosen) * HEIGHT * WIDTH,
        ATTRIBUTION,
    )


def _digits(name: str) -> Description:
    from sklearn.datasets import __file__ as datasets

    rows, columns = DIGITS, PIXELS_OF_A_DIGIT
    file = Path(datasets).parent / "data" / "digits.csv.gz"
    return Description(name, "records", rows, columns, rows * (columns + 1) * 8, file.stat().st_size, rows,
                       "E. Alpaydin and C. Kaynak, UCI, bundled with scikit-learn")  # fmt: skip


def _photo_bytes(chosen: tuple[str, ...]) -> int:
    from sklearn.datasets import __file__ as datasets

    folder = Path(datasets).parent / "images"
    return sum((folder / f"{photo}.jpg").stat().st_size for photo in chosen)


_DESCRIBED: dict[str, tuple[Callable[..., Description], set[str]]] = {
    "flights": (_table, {"copies"}),
    "weather": (_table, set()),
    "planes": (_table, set()),
    "airports": (_table, set()),
    "airlines": (_table, set()),
    "flight_minutes": (_minutes, set()),
    "photos": (_photos, set()),
    "pixels": (_patches, {"photo"}),
    "patches": (_patches, {"size", "photo"}),
    "digits": (_digits, set()),
}
