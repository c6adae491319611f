"""Dask's comms between ranks of a real MPI program."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.mpi import mpiexec, require_mpi

require_mpi()

PROGRAM = Path(__file__).with_name("ranks.py")


@pytest.fixture(scope="module", params=["0", "1"], ids=["two copies", "one copy"])
def found(request):
    """The results of three ranks, by rank; with both ways in which MPICH moves large messages."""
    environment = {**os.environ, "MPIR_CVAR_CH4_CMA_ENABLE": request.param, "DASK_DISTRIBUTED__COMM__SHARD": "1MiB"}
    done = subprocess.run(
        [*mpiexec(3), sys.executable, str(PROGRAM)],
        env=environment, capture_output=True, text=True, timeout=240, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    results = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return sorted(results, key=lambda one: int(one["rank"]))


def test_ranks_exchange_messages(found):
    assert found[0]["sizes"] == 8, "messages of every size come back unchanged"
    assert found[0]["awaited"] == 299, "a rank that sleeps is woken by each message"
    assert found[0]["served"] == [500] * 6, "no message is lost or overtakes another"
    assert found[1]["cancelled"], "cancelled, closed and collected connections disturb no others"
    # Six that were closed after a message, one with four of which three came after its end, one that was collected.
    assert sorted(found[2]["served"]) == [1] * 7 + [4]
    assert found[0]["no listener"] == "CommClosedError", "it fails at once"
    for one in found:
        assert "call gpucluster.comm.mpi.world.join() in all of them first" in one["before"]
    assert [one["bells"] for one in found] == [1, 1, 1], "ranks of one machine need no port"
    assert [one["left"] for one in found] == [[0] * 4] * 3
