"""Lesson 12, sharing: an array of another library's memory, and the description of memory for others."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...examination import Examination, describe
from .. import exercise

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
    """What one side writes, the other side reads: no copy, whoever offers the memory."""
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
    exam.expect("It has the producer's numbers", np.array_equal(found, array), case)
    first = (0,) * array.ndim
    array[first] = 77
    exam.expect("What the producer writes is seen in the array", found[first] == 77, f"copied: {case}")
    if found.flags.writeable:
        found[first] = 78
    exam.expect("What is written to the array is seen by the producer", array[first] == 78,
                f"{'copied' if found.flags.writeable else 'it cannot be written to'}: {case}")  # fmt: skip


def _expect_arrow(exam: Examination, adopt: Any) -> None:
    try:
        import pyarrow as pa
    except ImportError:
        return
    column = pa.array(exam.rng.normal(size=100))
    found = exam.call(adopt, column)
    same = isinstance(found, np.ndarray) and found.ctypes.data == column.buffers()[1].address
    exam.expect(
        "A column of pyarrow is adopted where it lies", same, "the same address" if same else "at another address"
    )


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
    exam.expect("Memory that must not be written to is offered as read-only, other memory is not",
                bool(data[1]) == sealed, f"read-only: {data[1]!r}; {case}")  # fmt: skip
    steps = told.get("strides")
    usual = np.empty(shape, dtype).strides
    exam.require("The rows follow each other without gaps", steps is None or tuple(steps) == usual, f"{steps}: {case}")
    found = np.asarray(OnlyInterface(memory, {**told, "data": (address, sealed)}))
    size = dtype.itemsize * max(1, int(np.prod(shape)))
    true = memory[offset : offset + size].view(dtype).reshape(shape)
    exam.expect("NumPy reads the right numbers from it", found.tobytes() == true.tobytes(), case)
    if not sealed:
        found.reshape(-1)[...] = 1
        exam.expect("What is written there is in the memory", bool((true == 1).all()), case)


def _order(typestr: str) -> str:
    return {"=": np.dtype("i4").str[0]}.get(typestr[0], typestr[0])
