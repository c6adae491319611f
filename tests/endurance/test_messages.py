"""A bounded version of ``python -m tests.endurance.messages``."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.mpi import mpiexec, require_mpi

require_mpi()
pytestmark = [pytest.mark.processes, pytest.mark.full]


def test_messages_between_ranks_arrive_in_order() -> None:
    done = subprocess.run(
        [*mpiexec(3), sys.executable, "-m", "tests.endurance.messages", "--messages", "30000"],
        capture_output=True, text=True, timeout=300, check=False, cwd=Path(__file__).parents[2],
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-4000:]
    result = json.loads(done.stdout.splitlines()[-1])
    assert sum(rank["messages"] for rank in result["ranks"]) == result["asked"] == 29_988
    assert [rank["wrong"] for rank in result["ranks"]] == [[], [], []]
