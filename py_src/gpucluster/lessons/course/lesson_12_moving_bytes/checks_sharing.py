"""The checks of lesson 12, sharing."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...answers import number
from ...checks import exercise
from ...examination import Examination, describe
from ...probes.transfers import bytes_between_workers
from .tools import LINKS, PublishedLink, Stage, staged

# Sharing: an array of another library's memory, and the description of memory for others.


KEYS = {"shape", "typestr", "data", "version"}


class OnlyDLPack:
    """Another library's array, which speaks DLPack and nothing else."""

    def __init__(self, array: Any) -> None:
        self._array = array

    def __dlpack__(self, **options: Any) -> Any:
        """Return the capsule."""
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        """Return where the memory is."""
        return self._array.__dlpack_device__()


class OnlyInterface:
    """Another library's array, which has an array interface and nothing else."""

    def __init__(self, array: Any, description: dict[str, Any] | None = None) -> None:
        self._array = array
        self.__array_interface__ = array.__array_interface__ if description is None else description


class Both(OnlyDLPack, OnlyInterface):
    """One that has both."""

    def __init__(self, array: Any) -> None:
        OnlyInterface.__init__(self, array)


def random_arrays(rng: np.random.Generator) -> dict[str, Any]:
    """Return arrays that lie in memory in several ways."""
    table = rng.normal(size=(6, 4))
    return {
        "a row of float64": rng.normal(size=int(rng.integers(2, 50))),
        "a table of float32": rng.normal(size=(3, 5)).astype(np.float32),
        "a transposed table": table.T,
        "every second row": table[::2],
        "whole numbers of 3 dimensions": rng.integers(0, 100, (2, 3, 4)),
        "a reversed row": np.arange(int(rng.integers(3, 9)), dtype=np.int16)[::-1],
    }


@exercise("12.7", "adopt", "interface_of")
def check_sharing(exam: Examination, adopt: Any, interface_of: Any) -> None:
    """What one side writes, the other side reads: no copy, for any provider of the memory."""
    for name, array in random_arrays(exam.rng).items():
        for kind in (OnlyDLPack, OnlyInterface, Both):
            _expect_adopted(exam, adopt, kind(array), array, f"{name}, {_OFFERS[kind]}")
    _expect_arrow(exam, adopt)
    for memory, offset, shape, dtype in _pieces(exam.rng):
        _expect_described(exam, interface_of, memory, offset, shape, dtype)
        if not exam.passed:
            return


_OFFERS = {
    OnlyDLPack: "which has only __dlpack__",
    OnlyInterface: "which has only __array_interface__",
    Both: "which has both",
}


def _expect_adopted(exam: Examination, adopt: Any, producer: Any, array: Any, case: str) -> None:
    found = exam.call(adopt, producer)
    exam.require("adopt returns an array of NumPy", isinstance(found, np.ndarray), f"{describe(found)}: {case}")
    alike = found.shape == array.shape and found.dtype == array.dtype
    exam.require("Shape and type are those of the producer", alike,
                 f"{found.dtype} {found.shape}, not {array.dtype} {array.shape}: {case}")  # fmt: skip
    exam.expect("It has the producer's values", np.array_equal(found, array), case)
    first = (0,) * array.ndim
    array[first] = 77
    exam.expect("The producer's writes are visible in the array", found[first] == 77, f"copied: {case}")
    if found.flags.writeable:
        found[first] = 78
    exam.expect("Writes to the array are visible to the producer", array[first] == 78,
                f"{'copied' if found.flags.writeable else 'it cannot be written to'}: {case}")  # fmt: skip


def _expect_arrow(exam: Examination, adopt: Any) -> None:
    try:
        import pyarrow as pa
    except ImportError:
        return
    column = pa.array(exam.rng.normal(size=100))
    found = exam.call(adopt, column)
    same = isinstance(found, np.ndarray) and found.ctypes.data == column.buffers()[1].address
    exam.expect("A pyarrow column is used without a copy", same, "the same address" if same else "at another address")


def _pieces(rng: np.random.Generator) -> list[tuple[Any, int, tuple[int, ...], Any]]:
    """Return memory, an offset in it, a shape and a type that fit into it."""
    memory = rng.integers(0, 100, 4096).astype(np.uint8)
    sealed = memory.copy()
    sealed.flags.writeable = False
    cases: list[tuple[Any, int, tuple[int, ...], Any]] = [
        (memory, 0, (16,), np.dtype("float64")), (memory, 64, (4, 3), np.dtype("int32")),
        (memory[256:], 128, (2, 2, 2), np.dtype("int16")), (memory, 512, (5,), np.dtype(">i4")),
        (memory, 1024, (), np.dtype("uint8")), (sealed, 8, (3,), np.dtype("int64")),
    ]  # fmt: skip
    for _ in range(6):
        dtype = np.dtype(str(rng.choice(["int8", "uint16", "int32", "float32", "float64", "complex128"])))
        shape = tuple(int(side) for side in rng.integers(1, 5, int(rng.integers(1, 4))))
        cases.append((memory, 16 * int(rng.integers(0, 100)), shape, dtype))
    return cases


def _expect_described(exam: Examination, interface_of: Any, memory: Any, offset: int, shape: Any, dtype: Any) -> None:
    case = f"{dtype.str} {shape} from byte {offset}"
    told = exam.call(interface_of, memory, offset, shape, dtype)
    exam.require("interface_of returns a dictionary", isinstance(told, dict), f"{describe(told)}: {case}")
    missing = sorted(KEYS - set(told))
    exam.require("It has shape, typestr, data and version", not missing, f"without {', '.join(missing)}: {case}")
    exam.require("The version is 3", told["version"] == 3, f"{told['version']!r}: {case}")
    exam.require("The shape is a tuple, as given", isinstance(told["shape"], tuple) and told["shape"] == shape,
                 f"{told['shape']!r}: {case}")  # fmt: skip
    exam.require("The typestr says type, size and byte order", isinstance(told["typestr"], str)
                 and told["typestr"][1:] == dtype.str[1:] and _order(told["typestr"]) == _order(dtype.str),
                 f"{told['typestr']!r}: {case}")  # fmt: skip
    data = told["data"]
    is_pair = isinstance(data, tuple) and len(data) == 2
    exam.require("data is a pair: the address, and whether it is read-only", is_pair, f"{data!r}: {case}")
    address = memory.ctypes.data + offset
    # Before anybody reads there: a wrong address would end the process.
    exam.require("The address is that of the first number", data[0] == address,
                 f"{int(data[0]) - memory.ctypes.data:+,} bytes from the beginning, not {offset:+,}: {case}"
                 if isinstance(data[0], (int, np.integer)) else f"{data[0]!r}: {case}")  # fmt: skip
    sealed = not memory.flags.writeable
    exam.expect("Only memory that must not be written to is read-only",
                bool(data[1]) == sealed, f"read-only: {data[1]!r}; {case}")  # fmt: skip
    steps = told.get("strides")
    usual = np.empty(shape, dtype).strides
    exam.require("The rows follow each other without gaps", steps is None or tuple(steps) == usual, f"{steps}: {case}")
    found = np.asarray(OnlyInterface(memory, {**told, "data": (address, sealed)}))
    size = dtype.itemsize * max(1, int(np.prod(shape)))
    true = memory[offset : offset + size].view(dtype).reshape(shape)
    exam.expect("NumPy reads the right values from it", found.tobytes() == true.tobytes(), case)
    if not sealed:
        found.reshape(-1)[...] = 1
        exam.expect("Writing to it changes the memory", bool((true == 1).all()), case)


def _order(typestr: str) -> str:
    return {"=": np.dtype("i4").str[0]}.get(typestr[0], typestr[0])


# Shuffles: how many bytes a merge sends between workers.


TYPES = ("int8", "int16", "int32", "int64", "float32", "float64", "uint16")
SPREAD = 0.2


def random_table(rng: np.random.Generator, rows: int, columns: int, key: str = "int64") -> Any:
    """Return a table with the key and columns of several types."""
    import pandas as pd

    table = {"key": rng.permutation(rows).astype(key)}
    for number_ in range(columns):
        table[f"c{number_}"] = rng.integers(0, 100, rows).astype(str(rng.choice(TYPES)))
    return pd.DataFrame(table)


def true_bytes(left: Any, right: Any, n_workers: int) -> float:
    """Return the bytes of all rows with their index, without those that are where they belong."""
    rows = [len(table) * (8 + sum(dtype.itemsize for dtype in table.dtypes)) for table in (left, right)]
    return float(sum(rows) * (n_workers - 1) / n_workers)


@exercise("12.8", "shuffled_bytes")
def check_shuffle(exam: Examination, shuffled_bytes: Any) -> None:
    """The prediction is right for random tables, and near to what was measured when workers merged two of them."""
    for turn in range(30):
        rows = [int(exam.rng.integers(1, 3000)) for _ in range(2)]
        key = str(exam.rng.choice(["int32", "int64"]))
        left, right = (random_table(exam.rng, n, int(exam.rng.integers(0, 7)), key) for n in rows)
        workers = 1 if turn == 0 else int(exam.rng.integers(2, 40))
        true = true_bytes(left, right, workers)
        found = number(exam, exam.call(shuffled_bytes, left, right, workers), "The prediction")
        near = abs(found - true) <= 0.01 * true + 1
        types = ", ".join(str(dtype) for dtype in left.dtypes)
        case = f"{rows[0]:,} rows of {types} and {rows[1]:,} rows, {workers} workers"
        exam.expect("The bytes are right within one per cent", near,
                    f"{found:,.0f}" + ("" if near else f", not {true:,.0f}: {case}"))  # fmt: skip
    if not exam.passed:
        return
    import dask.dataframe as dd

    tables = [random_table(exam.rng, 60_000, 3) for _ in range(2)]
    workers = len(exam.client.ncores())
    with exam.client.as_current():
        left, right = (dd.from_pandas(one, npartitions=2 * workers).persist() for one in tables)
        measured = bytes_between_workers(exam.client, left.merge(right, on="key", shuffle_method="p2p"))
    found = number(exam, exam.call(shuffled_bytes, *tables, workers), "The prediction")
    near = abs(found - measured) <= SPREAD * measured + 20_000 if workers > 1 else True
    exam.expect("It is within 20 % of what the workers sent", near, f"{found:,.0f} predicted, {measured:,} measured")


# Speeds: bytes per second in one direction, from what data sheets say.


ENCODINGS = ((8, 10), (128, 130), (64, 66), (242, 256))


def true_speed(link: PublishedLink) -> float:
    """Return bytes per second, one way."""
    if link["unit"] == "GT/s":
        useful, sent = link["encoding"]
        speed = link["value"] * 1e9 * link["lanes"] * useful / sent / 8
    else:
        speed = link["value"] * 1e9 / (8 if link["unit"] == "Gb/s" else 1)
    return speed / 2 if link["both_directions"] else speed


def random_published(rng: np.random.Generator) -> PublishedLink:
    """Return an invented link."""
    unit = str(rng.choice(["GT/s", "Gb/s", "GB/s"]))
    encoding = ENCODINGS[int(rng.integers(len(ENCODINGS)))]
    return {
        "value": float(rng.choice([2.5, 5.0, 8.0, 25.0, 40.0, 300.0, 1000.0])), "unit": unit,
        "lanes": int(rng.choice([1, 4, 8, 16] if unit == "GT/s" else [1, 2, 4])),
        "encoding": encoding if unit == "GT/s" else (1, 1), "both_directions": bool(rng.random() < 0.4),
    }  # fmt: skip


@exercise("12.4", "one_way", "seconds_to_move")
def check_speeds(exam: Examination, one_way: Any, seconds_to_move: Any) -> None:
    """Within a thousandth, for the links of the table and for others."""
    whole: PublishedLink = {"value": 200.0, "unit": "Gb/s", "lanes": 4, "encoding": (1, 1), "both_directions": False}
    links = [
        *LINKS.items(),
        ("a network of four lanes", whole),
        *((f"another link {turn}", random_published(exam.rng)) for turn in range(30)),
    ]
    for name, link in links:
        true = true_speed(link)
        found = number(exam, exam.call(one_way, dict(link)), "The speed")
        right = abs(found / true - 1) < 1e-3
        words = f"{link['value']:g} {link['unit']}, {link['lanes']} lanes, encoding {link['encoding']}" + (
            ", both directions" if link["both_directions"] else ""
        )
        exam.expect("The speed is in bytes per second, one way", right,
                    f"{found / 1e9:,.4g} GB/s" + _not(right, true / 1e9, f"{name} ({words})"))  # fmt: skip
        n_bytes = int(exam.rng.choice([10**6, 10**9, 10**12, 2**40, 10**15]))
        seconds = number(exam, exam.call(seconds_to_move, n_bytes, dict(link)), "The time")
        right = abs(seconds * true / n_bytes - 1) < 1e-3
        exam.expect("The time is the bytes divided by that speed", right,
                    f"{seconds:,.4g} s" + _not(right, n_bytes / true, f"{n_bytes:,} bytes, {name}"))  # fmt: skip


def _not(right: bool, true: float, case: str) -> str:
    return "" if right else f", not {true:,.4g}: {case}"


# Staging: data that goes through several stages in pieces.


@exercise("12.9", "staged_seconds")
def check_staged(exam: Examination, staged_seconds: Any) -> None:
    """For random stages, sizes and pieces: the moment when the last piece leaves the last stage."""
    for turn in range(60):
        stages = [
            (
                0.0 if exam.rng.random() < 0.3 else float(10 ** exam.rng.uniform(-5, -2)),
                float(10 ** exam.rng.uniform(8, 10.5)),
            )
            for _ in range(int(exam.rng.integers(1, 5)))
        ]
        n_bytes = int(exam.rng.integers(1, 10**9))
        count = int(exam.rng.choice([1, 2, 3, 7, 40]))
        piece = max(1, n_bytes // count) if turn % 2 else -(-n_bytes // count)
        if turn % 7 == 0:
            piece = n_bytes + 1000
        true = max(span.stop for span in staged(n_bytes, piece, [Stage("", *one) for one in stages]))
        found = number(exam, exam.call(staged_seconds, n_bytes, piece, list(stages)), "The time")
        right = abs(found - true) <= 1e-6 * true
        pieces = -(-n_bytes // piece)
        kind = "All in one piece, the stages take turns" if pieces == 1 else "In pieces, the stages overlap"
        last = n_bytes - (pieces - 1) * piece
        case = f"{pieces} pieces, the last with {last:,} of {piece:,} bytes, {len(stages)} stages"
        exam.expect(kind, right, f"{found:.4g} s" if right else f"{_apart(found, true)}: {case}")


def _apart(found: float, true: float) -> str:
    """Both times, with as many digits as it takes to tell them apart."""
    digits = next((some for some in range(4, 17) if f"{found:.{some}g}" != f"{true:.{some}g}"), 17)
    form = f".{digits}g" if digits == 4 else f"#.{digits}g"  # with the zeros at the end
    return f"{found:{form}} s, not {true:{form}}"
