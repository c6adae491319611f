"""What travels from a kernel to the grader: plain data comes through unchanged, and nothing else does."""

import copy
import datetime
import graphlib
import json
import pickle
import re
import socket
import threading
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from fractions import Fraction
from typing import Any

import dask.array as da
import numpy as np
import pandas as pd
import pytest
from gpucluster.lessons.examination import describe
from gpucluster.lessons.grading.kernel.server import AnswerServer
from gpucluster.lessons.grading.remote.channel import Channel, ChannelClosed
from gpucluster.lessons.grading.remote.objects import KernelConnection, KernelSilent, RemoteObject, pickled
from gpucluster.lessons.grading.remote.values import Handle, NotPlain, decode, encode


def through(value: Any) -> Any:
    buffers: list[bytes] = []
    tree = json.loads(json.dumps(encode(value, lambda _: 7, buffers)))
    return decode(tree, buffers, lambda handle: handle)


@pytest.mark.parametrize(
    "value",
    [
        None, ..., True, 0, -(10**300), 1.5, float("inf"), 2 + 3j, "text\udc80", b"\0\xff", [1, [2]], (1, (2,)), {1, 2},
        frozenset({"a"}), {"a": 1, (1, 2): [3]}, slice(1, None, 2), range(3, 9, 2), np.float32(0.1), np.int64(7),
        np.bool_(True), np.datetime64("2026-11-21"), datetime.datetime(2026, 11, 21, 10), datetime.date(2026, 11, 21),
        datetime.timedelta(days=1, microseconds=3),
    ],
    ids=repr,
)  # fmt: skip
def test_plain_values_come_through(value: Any) -> None:
    again = through(value)
    assert again == value
    assert type(again) is type(value)


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6).reshape(2, 3), np.zeros((0, 3)), np.array(5.0), np.asfortranarray(np.eye(3)), np.array(["a", "b"]),
        np.array([1, 2], dtype=">i2"), np.arange(10)[::-2], np.array(["2026-11-21"], dtype="datetime64[ns]"),
    ],
)  # fmt: skip
def test_arrays_come_through(array: Any) -> None:
    again = through(array)
    assert (again.dtype, again.shape) == (array.dtype, array.shape)
    assert np.array_equal(again, array)
    assert again.flags.writeable


def test_tables_come_through() -> None:
    frame = pd.DataFrame({"a": [1, 2], "b": ["x", None], "c": pd.to_datetime(["2026-11-21", None])}, index=[5, 3])
    pd.testing.assert_frame_equal(through(frame), frame)
    series = pd.Series([1.5, np.nan], index=["x", "y"], name="delay")
    pd.testing.assert_series_equal(through(series), series)
    counted = pd.Series([3], index=pd.Index(["EWR"], name="origin"), name="n")
    pd.testing.assert_series_equal(through(counted), counted)


class UndecodableText(UnicodeDecodeError):
    """An error that cannot be made from a text alone."""

    def __init__(self, text: str) -> None:
        super().__init__("ascii", b"", 0, 0, text)

    def __str__(self) -> str:
        return self.reason


class Strange(str):
    """A text that says it is equal to everything."""

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = str.__hash__


class Five(int):
    """A number that says it is another."""

    def __int__(self) -> int:
        return 7

    __str__ = __repr__ = lambda self: "7"


def test_numbers_and_texts_of_own_classes_come_through_as_plain_ones() -> None:
    for value, plain in ((Strange("x"), "x"), (Five(5), 5), (type("Share", (float,), {})(0.5), 0.5)):
        assert type(through(value)) is type(plain)
        assert through([value]) == [plain]


def test_everything_else_stays_behind() -> None:
    for value in (object(), len, Five(10**5_000), np.array([object()], dtype=object), 10**5_000, type):
        handle = through(value)
        assert isinstance(handle, Handle)
        assert handle.number == 7
    deep: Any = []
    for _ in range(200):
        deep = [deep]
    encode(deep, lambda _: 7, [])


@pytest.mark.parametrize(
    "tree",
    [
        None, [], ["pickle", 0], ["array", "O", [1], 0], ["array", "<f8", [10**12], 0], ["array", "<f8", [-1, 5], 0],
        ["array", "<f8", [2], 9], ["int", "1" * 5000], ["float", "x"], ["dict", [[["list", []], ["none"]]]],
        ["table", "DataFrame", ["none"], 0], ["object"], ["bytes", 99], ["datetime", "soon"], "str", 5, {"a": 1},
        ["array", "|V8", [1], 0], ["array", "i4,O", [1], 0], ["object", 1, "a.B", ["int", "1"]],
        ["object", 1, "a.B", ["object", 2, "a.C"]],
    ],
    ids=repr,
)  # fmt: skip
def test_what_no_honest_kernel_sends_is_refused(tree: Any) -> None:
    with pytest.raises(NotPlain):
        decode(tree, [pickle.dumps(object())], lambda handle: handle)


def test_a_deep_tree_is_refused() -> None:
    tree: Any = ["none"]
    for _ in range(500):
        tree = ["list", [tree]]
    with pytest.raises(NotPlain):
        decode(tree, [], lambda handle: handle)


@pytest.fixture
def notebook() -> Any:
    """A grader and the variables of a notebook, connected."""
    ours, theirs = socket.socketpair()
    names: dict[str, Any] = {}
    thread = threading.Thread(target=AnswerServer(Channel(theirs), names).run, daemon=True)
    thread.start()
    kernel = KernelConnection(Channel(ours))
    yield kernel, names
    kernel.end()
    thread.join(10)
    assert not thread.is_alive()
    theirs.close()


def test_a_function_is_called_over_there(notebook: Any) -> None:
    kernel, names = notebook
    names["double"] = lambda values, by=2: np.asarray(values) * by
    [double] = kernel.answers(["double"])
    assert callable(double)
    assert np.array_equal(double([1, 2], by=5), [5, 10])
    assert np.array_equal(double(np.ones((2, 2))), np.full((2, 2), 2.0))


def test_errors_keep_their_name_and_text(notebook: Any) -> None:
    kernel, names = notebook

    class Own(Exception):
        pass

    def fail(kind: str) -> None:
        kinds = {"own": Own, "value": ValueError, "not": NotImplementedError, "circle": graphlib.CycleError}
        raise {**kinds, "key": type("Missing", (KeyError,), {}), "text": UndecodableText}[kind]("because")

    names["fail"] = fail
    [function] = kernel.answers(["fail"])
    with pytest.raises(ValueError, match="^because$"):
        function("value")
    with pytest.raises(NotImplementedError):
        function("not")
    with pytest.raises(Exception, match="^because$") as caught:
        function("own")
    assert type(caught.value).__name__ == "Own"
    assert type(caught.value) is not Own
    # One that belongs to a class of Python's own belongs to it here as well.
    for kind, base, name in (
        ("circle", ValueError, "CycleError"),
        ("key", KeyError, "Missing"),
        ("text", ValueError, "UndecodableText"),
    ):
        with pytest.raises(base, match="because") as caught:
            function(kind)
        assert type(caught.value).__name__ == name
    assert str(caught.value) == "because"


def test_what_is_done_to_arguments_is_seen(notebook: Any) -> None:
    kernel, names = notebook
    names["sort"] = lambda values: values.sort()
    [sort] = kernel.answers(["sort"])
    values = np.array([3, 1, 2])
    sort(values)
    assert values.tolist() == [1, 2, 3]


def test_objects_stay_and_can_be_asked(notebook: Any) -> None:
    kernel, names = notebook

    class Model:
        centers = np.arange(3)

        def predict(self, model: Any) -> str:
            return "itself" if model is self else "another"

        def __len__(self) -> int:
            return 4

        def __getitem__(self, key: int) -> int:
            return key + 1

    names["model"] = Model()
    [model] = kernel.answers(["model"])
    assert type(model) is RemoteObject
    assert model.centers.tolist() == [0, 1, 2]
    assert model.predict(model) == "itself"
    assert (len(model), model[2]) == (4, 3)
    with pytest.raises(AttributeError):
        model.nothing  # noqa: B018
    with pytest.raises(TypeError, match="cannot be changed"):
        model.centers = 3
    with pytest.raises(TypeError, match="cannot be sent"):
        pickle.dumps(model)


class Lying(dict[str, int]):
    """A dictionary that shows nothing of what it has."""

    def items(self) -> Any:
        return {}.items()

    __iter__ = __len__ = keys = values = items  # type: ignore[assignment]


def test_a_collection_of_another_class_is_a_plain_one_here_and_itself_over_there(notebook: Any) -> None:
    kernel, names = notebook
    ordered = OrderedDict(a=1, b=2)
    ordered.move_to_end("a")
    pair = namedtuple("pair", "left right")(1, 2)
    lists = defaultdict(list, {"x": [1, np.int64(2)]})
    made = {
        "counted": Counter("aab"), "ordered": ordered, "lists": lists, "lying": [Lying(a=1)], "pair": pair,
        "items": type("Items", (list,), {})([1, 2]), "group": type("Group", (set,), {})({1}),
    }  # fmt: skip
    names.update(made, same=lambda name, value: value is made[name], grow=lambda lists: lists["new"].append(1))
    found = dict(zip(made, kernel.answers(list(made)), strict=True))
    assert isinstance(found["counted"], dict)
    assert found["counted"] == {"a": 2, "b": 1}
    assert list(found["ordered"]) == ["b", "a"]
    assert found["lists"] == {"x": [1, 2]}
    assert found["lying"] == [{"a": 1}]
    assert isinstance(found["pair"], tuple)
    assert (found["pair"], found["pair"].right) == ((1, 2), 2)
    assert isinstance(found["items"], list)
    assert found["items"] == [1, 2]
    assert found["group"] == {1}
    [same, grow] = kernel.answers(["same", "grow"])
    assert all(same(name, value) for name, value in found.items() if name != "lying")
    assert grow(found["lists"]) is None
    assert names["lists"]["new"] == [1]
    assert type(copy.deepcopy(found["counted"])) is type(pickle.loads(pickle.dumps(found["counted"]))) is dict


def test_what_stands_for_an_object_is_called_as_the_object(notebook: Any) -> None:
    kernel, names = notebook
    names["made"] = [
        Fraction(1, 2), (one for one in "ab"), deque([1]), Counter("aab"), type("Own\x1b" + "x" * 100, (), {})(),
    ]  # fmt: skip
    [made] = kernel.answers(["made"])
    told = [describe(one) for one in made]
    assert told[:4] == ["a Fraction", "a generator", "a deque", "a Counter of 2"]
    assert re.fullmatch(r"an Own\?x+…", told[4])
    assert len(told[4]) < 70
    assert "\x1b" not in repr(made)


def test_a_class_of_a_known_package_is_recognised(notebook: Any) -> None:
    import dask.array as da

    kernel, names = notebook
    names["lazy"] = da.ones(4, chunks=2)
    names["open"] = open
    lazy, opened = kernel.answers(["lazy", "open"])
    assert isinstance(lazy, da.Array)
    assert np.array_equal(np.asarray(lazy), np.ones(4))
    assert lazy.sum().compute() == 4
    assert type(opened) is RemoteObject
    assert opened.__class__ is RemoteObject


def test_comparing_is_not_left_to_the_other_side(notebook: Any) -> None:
    kernel, names = notebook

    class Liar:
        def __eq__(self, other: object) -> bool:
            return True

        __hash__ = None  # type: ignore[assignment]

        def __lt__(self, other: object) -> bool:
            return True

        def __sub__(self, other: object) -> int:
            return 0

        def __abs__(self) -> int:
            return 0

    names["liar"] = Liar()
    [liar] = kernel.answers(["liar"])
    assert liar != 5
    for compare in (lambda: liar < 5, lambda: liar - 5, lambda: abs(liar), lambda: float(liar), lambda: int(liar)):
        with pytest.raises(TypeError):
            compare()


def test_empty_answers_are_empty(notebook: Any) -> None:
    kernel, names = notebook
    names.update(dots=..., nothing=None, empty=lambda: ..., full=lambda: 1)
    dots, nothing, empty, missing, full = kernel.answers(["dots", "nothing", "empty", "missing", "full"])
    assert [dots, nothing, empty, missing] == [..., ..., ..., ...]
    assert full() == 1


@pytest.mark.parametrize(
    "answer", [b"", b"\0" * 12, b"\xff" * 12, b"\0\0\0\0\0\0\0\5\0\0\0\5hello", b"\0\0\0\0\0\0\0\2\0\0\0\2[]"]
)
def test_nonsense_ends_the_conversation_and_every_later_question(answer: bytes) -> None:
    ours, theirs = socket.socketpair()
    theirs.sendall(answer)
    theirs.shutdown(socket.SHUT_WR)
    kernel = KernelConnection(Channel(ours))
    for _ in range(2):
        with pytest.raises(KernelSilent, match="did not answer"):
            kernel.answers(["x"])
    theirs.close()
    kernel.end()


def test_for_what_the_kernel_was_ended_is_said() -> None:
    ours, theirs = socket.socketpair()
    theirs.close()
    kernel = KernelConnection(Channel(ours), lambda: "the notebook took too long")
    with pytest.raises(KernelSilent, match="^your code did not answer: the notebook took too long$"):
        kernel.answers(["x"])
    kernel.end()


def test_waiting_has_an_end() -> None:
    ours, theirs = socket.socketpair()
    with pytest.raises(ChannelClosed, match="takes too long"):
        Channel(ours, deadline=0.0).receive()
    theirs.close()
    ours.close()


def known(client: Any, key: Any) -> bool:
    found: bool = client.run_on_scheduler(lambda dask_scheduler, key: key in dask_scheduler.tasks, key=key)
    return found


@pytest.mark.full
def test_the_scheduler_knows_the_futures_before_they_are_sent(client: Any) -> None:
    for _ in range(5):
        # Large enough that the scheduler needs a moment for the graph.
        future = client.compute(da.from_array(np.ones(1_000_000), chunks=100_000).sum())
        pickled({"parts": [future]}, (RemoteObject,))
        assert known(client, future.key)


def test_futures_within_collections_count_too(client: Any) -> None:
    kept = da.ones(1_000_000, chunks=100_000).persist()
    pickled([kept], (RemoteObject,))
    assert all(known(client, key) for key in kept.__dask_graph__())


def test_what_has_no_futures_needs_no_cluster() -> None:
    assert b"numbers" in pickled({"numbers": [1, 2]}, (RemoteObject,))
