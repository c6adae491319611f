"""Verbs with a simple answer: a model for ``--json``, and a text, for the shell and the magic."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Sequence
from typing import TypeAlias

from pydantic import BaseModel

from ..client.control import Control
from ..client.starting.capacity import kinds_here, presets_here
from ..protocol.models import ClusterModel
from . import actions, tables
from .device_tree import devices_text
from .history import history

Answer: TypeAlias = tuple[BaseModel | Sequence[BaseModel], str]


def _list(control: Control, _found: Namespace) -> Answer:
    models = control.list()
    return models, tables.cluster_table(models)


def _status(control: Control, found: Namespace) -> Answer:
    model = actions.find(control, actions.name_of(found))
    return model, tables.cluster_card(model)


def _activity(control: Control, found: Namespace) -> Answer:
    answer = actions.activity(control, found)
    return answer, tables.activity_table(answer)


def _cells(control: Control, found: Namespace) -> Answer:
    answer = actions.cells(control, found)
    return answer, tables.cells_table(answer.cells)


def _remove(control: Control, found: Namespace) -> Answer:
    removed = actions.remove(control, found)
    return removed if len(removed) != 1 else removed[0], _removed(removed)


def _clean(control: Control, _found: Namespace) -> Answer:
    removed = actions.clean(control)
    return removed, _removed(removed) or "Nothing to remove."


def _removed(models: Sequence[ClusterModel]) -> str:
    return "\n".join(f"{model.name}: removed" for model in models)


def _devices(control: Control, _found: Namespace) -> Answer:
    host = actions.devices(control)
    return host, devices_text(host)


def _kinds(_control: Control, _found: Namespace) -> Answer:
    kinds = kinds_here()
    return kinds, tables.kinds_table(kinds)


def _presets(_control: Control, _found: Namespace) -> Answer:
    presets = presets_here()
    return presets, tables.presets_table(presets)


ANSWERS: dict[str, Callable[[Control, Namespace], Answer]] = {
    "list": _list,
    "status": _status,
    "activity": _activity,
    "cells": _cells,
    "history": history,
    "remove": _remove,
    "clean": _clean,
    "devices": _devices,
    "kinds": _kinds,
    "presets": _presets,
}
