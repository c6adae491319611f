import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "fakes"))

from nvml.fixtures import fake_libraries, machine  # noqa: F401

HERE = Path(__file__).parent
Play: TypeAlias = Callable[..., Any]


@pytest.fixture
def play(machine):  # noqa: F811
    """Run a scenario of ``scenarios.py`` on the fake machine, in a separate process, and return its result.

    `packages`: a folder for ``PYTHONPATH``.
    """

    def run(
        scenario: str, *, module: str = "scenarios", packages: object = None, environment: Any = None, **spec: object
    ) -> Any:
        path = os.pathsep.join([str(HERE), str(packages or os.environ.get("PYTHONPATH", ""))])
        program = f"import scenarios, {module}; scenarios.play({module}.{scenario}, {spec!r})"
        printed = machine.run(program, PYTHONPATH=path, **(environment or {}))
        return json.loads(printed.splitlines()[-1])

    return run
