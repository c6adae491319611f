"""Lesson 06, the steps of the algorithm in order."""

from __future__ import annotations

from typing import Any

from ...examination import Examination
from .. import exercise


@exercise("06.1", "order")
def check_steps(exam: Examination, order: Any) -> None:
    """Any order in which each step comes after those it needs."""
    from ...study.ordering import check_order

    check_order(exam, "06.1", order)
