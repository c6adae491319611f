"""Breaking the lesson's cluster for a check, and leaving it as it was."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ...examination import Examination, NeedsCluster, describe, describe_error
from ...simulations.recovery import addresses, expect_crashes, restored


@contextmanager
def as_it_was(client: Any) -> Iterator[int]:
    """At the end, there are as many workers as before."""
    before = len(addresses(client))
    expect_crashes(client)
    try:
        yield before
    finally:
        try:
            restored(client, before)
        except TimeoutError:
            raise NeedsCluster from None


def call_freely(exam: Examination, function: Any, *args: Any) -> tuple[Any, Exception | None]:
    """Call a function whose errors are part of the question."""
    exam.require("It is a function", callable(function), f"it is {describe(function)}")
    try:
        return function(*args), None
    except Exception as error:
        return None, error


def explain(error: BaseException | None, function: Any) -> str:
    """Say what was raised, in one line."""
    return "no error" if error is None else describe_error(error, function)
