"""Looking at one answer: call it safely, note which properties hold."""

from __future__ import annotations

import dis
import linecache
import re
import sysconfig
import traceback
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np

from ..protocol.plain_text import printable
from .lab import LessonClosed
from .probes.memory import TracingEnded, measure_peak
from .properties import REPEATABLE, UNCHANGED, alike, can_change, fingerprint, is_plain
from .results import Finding

if TYPE_CHECKING:
    from distributed import Client

_OURS = str(Path(__file__).parents[1])
_LIBRARIES = tuple({sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib")})
_LONGEST_NAME = 60
_CONSTANTS = {"LOAD_CONST", "LOAD_COMMON_CONSTANT", "RETURN_CONST"}
_NOTHING = {*_CONSTANTS, "RESUME", "NOP", "RETURN_VALUE", "POP_TOP", "COPY_FREE_VARS"}
_NOTHING |= {"RETURN_GENERATOR", "CALL_INTRINSIC_1", "RERAISE"}  # what every coroutine begins and ends with

_OF_A_FAULT = re.compile(r"\b(instead of|expected|missing|lost|copied|is in both|too (much|many|few))\b")
"""Words that would puzzle beside a property that holds, such as "5 instead of 5"."""

_ONE_OF_MANY = re.compile(
    r"(?<![\w.,:/×-])(?<!\d, )1 (bytes|rows|points|blocks|tasks|ranks|workers|numbers|columns|flights|pixels|loads"
    r"|futures|questions|minutes|turns|threads|stages|pieces|labels|chunks|results|messages|iterations|events|cooks"
    r"|components|colours|centroids|calls|bars|tiles|steps|runs|pipelines|parts|partitions|models|lines|folds|features"
    r"|files|pairs)\b"
)
"""A hidden input may have one of what there are mostly many of."""


class NotYet(Exception):
    """The answer is still empty."""


class Halt(Exception):
    """A property failed without which the others cannot be checked."""


class NeedsCluster(Exception):
    """The check cannot run without a cluster."""


def is_blank(answer: Any) -> bool:
    """Whether an answer is still the placeholder: ``...``, ``None``, or a function that does nothing."""
    if answer is None or answer is Ellipsis:
        return True
    if isinstance(answer, (list, tuple, dict, set)):
        values = list(answer.values()) if isinstance(answer, dict) else list(answer)
        return all(value is None or value is Ellipsis for value in values)
    if not isinstance(answer, FunctionType):
        return False
    for step in dis.get_instructions(answer):
        if step.opname not in _NOTHING:
            return False
        if step.opname in _CONSTANTS and step.argval not in (None, Ellipsis):
            return False
    return True


class Examination:
    """One run of one check.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of the hidden inputs.
    client : distributed.Client, optional
        Connected to the cluster, for checks that need one.
    """

    def __init__(self, rng: np.random.Generator, client: Client | None = None) -> None:
        self.rng = rng
        self._client = client
        self._findings: dict[str, Finding] = {}
        self._called_again: list[Any] = []
        self.repeats = False
        """Whether the first call of each function is made twice, to see that it remembers nothing."""

    @property
    def client(self) -> Client:
        """The client; a check that asks for it says so when there is none."""
        if self._client is None:
            raise NeedsCluster
        return self._client

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All properties looked at, in order."""
        return tuple(self._findings.values())

    @property
    def passed(self) -> bool:
        """Whether all properties looked at so far hold."""
        return all(finding.passed for finding in self._findings.values())

    def expect(self, expected: str, passed: Any, observed: str) -> bool:
        """Note whether a property holds. Looked at several times, it must hold each time."""
        before = self._findings.get(expected)
        observed = _ONE_OF_MANY.sub(lambda found: f"1 {found[1][:-1]}", observed)
        if before is None or before.passed:
            shown = "" if passed and _OF_A_FAULT.search(observed) else observed
            self._findings[expected] = Finding(expected, bool(passed), shown)
        return bool(passed)

    def require(self, expected: str, passed: Any, observed: str) -> None:
        """Note a property only when it does not hold, and then end the examination."""
        if not passed:
            self.expect(expected, False, observed)
            raise Halt

    def call(self, function: Any, *args: Any) -> Any:
        """Call the learner's function. Its mistakes become findings, never tracebacks.

        What it does to its arguments is a finding as well.
        """
        result = self._call(function, args)
        known = any(one is function for one in self._called_again)
        if self.repeats and not known and all(is_plain(argument) for argument in args):
            self._called_again.append(function)
            same = alike(result, self._call(function, args))
            self.expect(REPEATABLE, same, "the same" if same else "something else the second time")
        return result

    def _call(self, function: Any, args: tuple[Any, ...]) -> Any:
        self.require("It is a function", callable(function), f"it is {describe(function)}")
        before = {place: fingerprint(one) for place, one in enumerate(args, start=1) if can_change(one)}
        try:
            with np.errstate(all="ignore"):
                result = function(*args)
        except NotImplementedError as error:
            raise NotYet from error
        except LessonClosed as error:
            raise NeedsCluster from error
        except Exception as error:
            self.require("It runs without an error", False, describe_error(error, function))
        self.require("It returns a result", result is not None and result is not Ellipsis, f"it returned {result!r}")
        changed = [str(place) for place, print_ in before.items() if fingerprint(args[place - 1]) != print_]
        if before:
            self.expect(
                UNCHANGED, not changed, f"argument {', '.join(changed)} was changed" if changed else "unchanged"
            )
        return result

    def measured(self, work: Callable[..., Any], *args: Any) -> tuple[Any, int]:
        """Do some work with the learner's function; return its result and the most bytes that it held at once."""
        try:
            return measure_peak(work, *args)
        except TracingEnded as error:
            self.expect("Its memory can be measured", False, str(error))
            raise Halt from error


def describe_error(error: BaseException, function: Callable[..., Any] | None = None) -> str:
    """Say in one line what went wrong, and in which line of the learner's code."""
    name = type(error).__name__
    text = " ".join(str(error).split())
    text = f"{name}: {text[:200]}" if text else name
    code = getattr(function, "__code__", None)
    frame = _learners_frame(error, getattr(code, "co_filename", None))
    if frame is None:
        return text
    line = _text_of(frame)
    return f"{text} (in {frame.name}, line {frame.lineno}{': ' + line if line else ''})"


def line_of(error: BaseException) -> str:
    """Return the line of the learner's code in which an error arose; empty when that is not known."""
    frame = _learners_frame(error)
    return _text_of(frame) if frame else ""


def _learners_frame(error: BaseException, home: str | None = None) -> traceback.FrameSummary | None:
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        foreign = frame.filename.startswith((*_LIBRARIES, _OURS)) or "site-packages" in frame.filename
        if frame.filename == home or not foreign:
            return frame
    return None


def _text_of(frame: traceback.FrameSummary) -> str:
    return (frame.line or linecache.getline(frame.filename, frame.lineno or 0)).strip()


def type_name(value: Any) -> str:
    """Name the type of a value; of what stands for an object of the learner's, the type of that object."""
    handle = vars(value).get("_handle") if hasattr(type(value), "gpucluster_stand_in") else None
    name = str(handle.kind).rpartition(".")[2] if handle is not None else type(value).__name__
    return printable(name, _LONGEST_NAME) or "nameless type"


def describe(value: Any) -> str:
    """Name the type of a value, and its length where it has one."""
    name = type_name(value)
    article = "an" if name[:1] in tuple("aeiouAEIOU") else "a"
    size = f" of {len(value)}" if isinstance(value, (tuple, list, dict, set)) else ""
    return f"{article} {name}{size}"
