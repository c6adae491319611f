"""Verbs with a simple answer: a model for ``--json``, and a text, for the shell and the magic."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Sequence
from typing import TypeAlias, TypeVar

from pydantic import BaseModel

from ..client.control import Control
from ..client.starting.capacity import kinds_here, presets_here
from ..protocol.cells import Cells
from ..protocol.models import ClusterModel, Submission
from . import actions, tables
from .device_tree import devices_text
from .history import history

Answer: TypeAlias = tuple[BaseModel | Sequence[BaseModel], str]
T = TypeVar("T", bound=BaseModel | Sequence[BaseModel])


def _with_text(value: T, text: Callable[[T], str]) -> tuple[T, str]:
    return value, text(value)


def _cells(answer: Cells) -> str:
    return tables.cells_table(answer.cells)


def _script(answer: Submission) -> str:
    return (answer.text or "").rstrip()


def _remove(control: Control, found: Namespace) -> Answer:
    removed = actions.remove(control, found)
    return removed if len(removed) != 1 else removed[0], _removed(removed)


def _removed(models: Sequence[ClusterModel]) -> str:
    return "\n".join(f"{model.name}: removed" for model in models) or "Nothing to remove."


ANSWERS: dict[str, Callable[[Control, Namespace], Answer]] = {
    "list": lambda control, _: _with_text(control.list(), tables.cluster_table),
    "status": lambda control, found: _with_text(actions.named(control, found), tables.cluster_card),
    "activity": lambda control, found: _with_text(actions.activity(control, found), tables.activity_table),
    "cells": lambda control, found: _with_text(actions.cells(control, found), _cells),
    "history": history,
    "script": lambda control, found: _with_text(actions.script(control, found), _script),
    "remove": _remove,
    "clean": lambda control, _: _with_text(actions.clean(control), _removed),
    "devices": lambda control, _: _with_text(actions.devices(control), devices_text),
    "kinds": lambda *_: _with_text(kinds_here(), tables.kinds_table),
    "presets": lambda *_: _with_text(presets_here(), tables.presets_table),
}
