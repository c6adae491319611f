"""Lesson 08: how answers made of several arrays are read and added up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...examination import Examination
from ..answers import Floats, numbers, several


def arrays(exam: Examination, result: Any, names: Sequence[str]) -> list[Floats]:
    """Read a result that must be so many arrays of finite numbers."""
    return [numbers(exam, part, name) for part, name in zip(several(exam, result, *names), names, strict=True)]


def shaped(exam: Examination, name: str, found: Any, shape: tuple[int, ...]) -> None:
    """End the examination when an array has another shape."""
    exam.require(f"{name} has the right shape", found.shape == shape, f"shape {found.shape}, expected {shape}")


def total(results: Sequence[Sequence[Any]]) -> tuple[Any, ...]:
    """Add up what the blocks gave, one thing after the other."""
    return tuple(sum(values[1:], values[0]) for values in zip(*results, strict=True))
