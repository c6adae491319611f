from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "fakes"))

from nvml.fixtures import fake_libraries, machine  # noqa: F401
from nvml.machine import FakeMachine

HERE = Path(__file__).parent
Play: TypeAlias = Callable[..., Any]


@pytest.fixture
def play(machine: FakeMachine) -> Play:  # noqa: F811
    """Run a scenario of ``scenarios.py`` on the fake machine, in a process of its own, and return what it found."""

    def run(
        scenario: str, *, module: str = "scenarios", environment: dict[str, str] | None = None, **spec: object
    ) -> Any:
        environment = {"PYTHONPATH": os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])} | (
            environment or {}
        )
        printed = machine.run(
            f"import scenarios, {module}; scenarios.play({module}.{scenario}, {spec!r})", **environment
        )
        return json.loads(printed.splitlines()[-1])

    return run
