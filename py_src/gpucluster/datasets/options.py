"""Checks of options, and the libraries of arrays and data frames in Dask's configuration."""

from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise
from typing import Any, Literal, TypeAlias

from .errors import InvalidOption, MissingLibrary

MOST_BLOCKS = 1_000_000


def even_cuts(n_rows: int, n_blocks: int, name: str) -> list[int]:
    """Return the starts of blocks of nearly the same length, and the end of the last one; ``name`` is the option."""
    whole_number(n_blocks, name, most=min(n_rows, MOST_BLOCKS))
    return [n_rows * number // n_blocks for number in range(n_blocks + 1)]


def lengths(cuts: list[int]) -> tuple[int, ...]:
    return tuple(stop - start for start, stop in pairwise(cuts))


def whole_number(value: object, name: str, *, least: int = 1, most: int) -> int:
    """Return an option's whole number; raises `InvalidOption` for other values, and outside the bounds."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise InvalidOption(f"{name}: must be a whole number from {least} to {most:,}, not {value!r}.")
    return value


FrameLibrary = Literal["pandas", "cudf"]
ArrayLibrary = Literal["numpy", "cupy"]
Array: TypeAlias = Any  # A block of an array: of NumPy or CuPy.
Frame: TypeAlias = Any  # A block of a table: a data frame of pandas or cuDF.
_EXTRA = "gpucluster[gpu-cu13] or gpucluster[gpu-cu12]"


def frame_library() -> FrameLibrary:
    """Return Dask's option ``dataframe.backend``: ``pandas`` or ``cudf``."""
    return require(_option("dataframe.backend", ("pandas", "cudf")))  # type: ignore[return-value]


def array_library() -> ArrayLibrary:
    """Return Dask's option ``array.backend``: ``numpy`` or ``cupy``."""
    return require(_option("array.backend", ("numpy", "cupy")))  # type: ignore[return-value]


def as_library(array: Array, library: ArrayLibrary) -> Array:
    """Return a NumPy array as an array of a library, in the memory of its device."""
    return array if library == "numpy" else import_module("cupy").asarray(array)


def _option(name: str, allowed: tuple[str, str]) -> str:
    import dask

    chosen = dask.config.get(name, None) or allowed[0]
    if chosen not in allowed:
        raise InvalidOption(
            f"Dask's option '{name}' is {chosen!r}, but this data set is available only as {allowed[0]} and "
            f"{allowed[1]}. Use dask.config.set({{'{name}': '{allowed[0]}'}})."
        )
    return str(chosen)


def require(library: str) -> str:
    """Return the name of an installed library; raises `MissingLibrary` where it is not installed."""
    if find_spec(library) is None:
        raise MissingLibrary(f"{library} is not installed here. Install {_EXTRA}, or use Dask's CPU backends.")
    return library
