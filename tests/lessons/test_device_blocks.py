"""The lesson's code on blocks that, like CuPy's, refuse to be mixed with NumPy arrays or copied without being asked."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from gpucluster import learn
from gpucluster.lessons import as_numpy
from gpucluster.lessons.building.source import read_source
from gpucluster.lessons.catalogue import find_lesson
from gpucluster.lessons.course.lesson_15_capstone.material import boost


class DeviceArray:
    """An array elsewhere: NumPy's functions are dispatched to it, and it is copied only by ``get()``.

    Like CuPy's ndarray it takes scalars and arrays of its own kind, and raises TypeError for NumPy arrays.
    """

    __array_priority__ = 100
    __cuda_array_interface__: dict[str, Any] = {}

    def __init__(self, data: np.ndarray) -> None:
        self.data = data

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise TypeError("Implicit conversion to a NumPy array is not allowed.")

    def get(self) -> np.ndarray:
        return self.data

    @staticmethod
    def _inside(value: Any) -> Any:
        if isinstance(value, DeviceArray):
            return value.data
        if isinstance(value, (tuple, list)):
            return type(value)(DeviceArray._inside(item) for item in value)
        if isinstance(value, np.ndarray) and value.ndim:
            raise TypeError("Unsupported type <class 'numpy.ndarray'>")
        return value

    @staticmethod
    def _outside(value: Any) -> Any:
        return DeviceArray(np.asarray(value)) if isinstance(value, (np.ndarray, np.generic)) else value

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        out = kwargs.pop("out", None)
        result = getattr(ufunc, method)(*map(self._inside, inputs), **kwargs)
        if out is not None:
            out[0].data[...] = result
            return out[0]
        return self._outside(result)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if function is np.asarray:  # np.asarray(x, like=block): the copy to the device that was asked for
            return DeviceArray(np.asarray(args[0]))
        if "device" in kwargs:  # NumPy's functions that are written in Python hand it on, asked for or not
            raise TypeError(f"{function.__name__}() got an unexpected keyword argument 'device'")
        kwargs = {key: self._inside(value) for key, value in kwargs.items()}
        return self._outside(function(*map(self._inside, args), **kwargs))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        value = getattr(self.data, name)
        if not callable(value):
            return self._outside(value)
        return lambda *args, **kwargs: self._outside(value(*map(self._inside, args), **kwargs))

    def __getitem__(self, key: Any) -> Any:
        return self._outside(self.data[self._inside(key)])

    def __len__(self) -> int:
        return len(self.data)

    def __neg__(self) -> Any:
        return DeviceArray(-self.data)

    def __float__(self) -> float:
        return float(self.data)

    @property
    def T(self) -> Any:
        return DeviceArray(self.data.T)


def _operator(name: str) -> Any:
    return lambda self, other: self.__array_ufunc__(getattr(np, name), "__call__", self, other)


def _in_place(name: str) -> Any:
    return lambda self, other: self.__array_ufunc__(getattr(np, name), "__call__", self, other, out=(self,))


def _reflected(name: str) -> Any:
    return lambda self, other: self.__array_ufunc__(getattr(np, name), "__call__", other, self)


OPERATORS = {"add": "add", "sub": "subtract", "mul": "multiply", "pow": "power", "matmul": "matmul",
             "truediv": "divide"}  # fmt: skip
COMPARISONS = {"eq": "equal", "ne": "not_equal", "lt": "less", "le": "less_equal", "gt": "greater",
               "ge": "greater_equal"}  # fmt: skip
for symbol, ufunc in OPERATORS.items():
    setattr(DeviceArray, f"__{symbol}__", _operator(ufunc))
    setattr(DeviceArray, f"__i{symbol}__", _in_place(ufunc))
    setattr(DeviceArray, f"__r{symbol}__", _reflected(ufunc))
for symbol, ufunc in COMPARISONS.items():
    setattr(DeviceArray, f"__{symbol}__", _operator(ufunc))


@pytest.fixture
def lesson_code() -> dict[str, Any]:
    """assign, partial and step as in the solution notebook."""
    lesson = find_lesson("06")
    source = read_source(lesson.folder / "lesson.py")
    texts = [lesson.exercise(number).solution for number in ("06.2", "06.3")]
    texts.append(next(cell.text for cell in source.cells if cell.text.startswith("def step")))
    namespace: dict[str, Any] = {"np": np, "as_numpy": as_numpy}
    exec("\n".join(texts), namespace)
    return namespace


def test_the_stand_in_is_as_strict_as_cupy() -> None:
    block = DeviceArray(np.ones((3, 2)))
    with pytest.raises(TypeError):
        block + np.ones((3, 2))
    with pytest.raises(TypeError):
        np.asarray(block)
    with pytest.raises(TypeError):
        block @ np.ones((2, 2))
    with pytest.raises(TypeError, match="device"):
        np.full(3, 0.5, like=block)
    assert isinstance(np.stack([block, block]), DeviceArray)


def test_step_gives_the_same_numbers_as_on_numpy_blocks(lesson_code: dict[str, Any]) -> None:
    rng = np.random.default_rng(3)
    points, centroids = rng.random((500, 3)), rng.random((6, 3))
    expected = lesson_code["step"](points, centroids)
    found = lesson_code["step"](DeviceArray(points), centroids)
    for one, other in zip(found, expected, strict=True):
        assert isinstance(one, (np.ndarray, np.generic))
        np.testing.assert_array_equal(one, other)


def test_as_numpy_keeps_everything_else() -> None:
    device = DeviceArray(np.arange(3))
    assert as_numpy(3) == 3
    assert as_numpy({"a": [device, 1]})["a"][0].tolist() == [0, 1, 2]
    assert as_numpy((device,))[0].tolist() == [0, 1, 2]
    array = np.ones(2)
    assert as_numpy(array) is array
    assert as_numpy({"x": 1}) == {"x": 1}


def test_gradients_of_lesson_10_give_the_same_numbers_as_on_numpy_blocks() -> None:
    lesson = find_lesson("10")
    source = read_source(lesson.folder / "lesson.py")
    cell = next(cell.text for cell in source.cells if "def block_gradients" in cell.text)
    function = cell[cell.index("def block_gradients") : cell.index("\n\n\nif ready")]
    namespace: dict[str, Any] = {"np": np, "as_numpy": as_numpy}
    exec(lesson.exercise("10.1").solution + "\n" + function, namespace)
    rng = np.random.default_rng(10)
    X, wanted = rng.random((40, 6)), np.eye(3)[rng.integers(0, 3, 40)]
    layers = [rng.normal(size=shape) for shape in ((6, 5), (5,), (5, 3), (3,))]
    expected = namespace["block_gradients"](X, wanted, layers)
    found = namespace["block_gradients"](DeviceArray(X), DeviceArray(wanted), layers)
    assert found[:2] == expected[:2]
    for one, other in zip(found[2], expected[2], strict=True):
        assert isinstance(one, np.ndarray)
        np.testing.assert_array_equal(one, other)


def test_boosted_trees_of_lesson_15_take_such_blocks() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(400, 3))
    y = (X[:, 0] * X[:, 1] > 0).astype("int64")
    edges = [np.unique(np.quantile(X[:, place], np.arange(1, 8) / 8)) for place in range(3)]
    namespace: dict[str, Any] = {"np": np}
    exec(find_lesson("15").exercise("15.7").solution, namespace)

    def fitted(kind: Any) -> Any:
        blocks = [SimpleNamespace(X=kind(X[part]), y=kind(y[part])) for part in (slice(0, 250), slice(250, 400))]
        shard = SimpleNamespace(blocks=blocks, communicator=learn.SerialCommunicator())
        return boost(shard, edges=edges, best_split=namespace["best_split"], rounds=3)

    plain, there = fitted(np.asarray), fitted(DeviceArray)
    np.testing.assert_allclose(there.losses, plain.losses)
    np.testing.assert_allclose(as_numpy(there.chance(DeviceArray(X))), plain.chance(X))


def test_the_loss_of_lesson_08_is_asked_for_where_the_rows_are() -> None:
    lesson = find_lesson("08")
    cell = next(one.text for one in read_source(lesson.folder / "lesson.py").cells if "loss_of =" in one.text)
    namespace: dict[str, Any] = {"np": np, "scikit_weights": np.array([0.5, -1.0, 0.25])}
    exec(lesson.exercise("08.3").solution, namespace)
    exec(next(line.strip() for line in cell.splitlines() if "loss_of =" in line), namespace)
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(50, 2)), rng.integers(0, 2, 50)
    expected = namespace["loss_of"](X, y)
    for one, other in zip(namespace["loss_of"](DeviceArray(X), DeviceArray(y)), expected, strict=True):
        np.testing.assert_allclose(as_numpy(one), other)
