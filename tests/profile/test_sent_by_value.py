"""The recorders work on a scheduler that has no gpucluster, or another one."""

from __future__ import annotations

import subprocess
import sys

from distributed.protocol.pickle import dumps
from gpucluster.dask_internals.by_value import sent_by_value
from gpucluster.profiling import recorders
from gpucluster.profiling.recorders import scheduler as scheduler_recorder
from gpucluster.profiling.recorders import worker as worker_recorder

_PROGRAM = """
import sys
sys.modules["gpucluster"] = None  # importing it fails
from distributed.protocol.pickle import loads
while (head := sys.stdin.buffer.read(8)):
    loaded = loads(sys.stdin.buffer.read(int.from_bytes(head, "big")))
    print(getattr(loaded, "__name__", type(loaded).__name__))
"""


def test_they_travel_as_code() -> None:
    things = [
        scheduler_recorder.SchedulerRecorder("name", "owner"),
        worker_recorder.WorkerRecorder("name"),
        scheduler_recorder.begin,
        scheduler_recorder.finish,
        worker_recorder.begin,
        worker_recorder.finish,
        worker_recorder.process_facts,
    ]
    with sent_by_value(recorders.__name__):
        sent = [dumps(thing) for thing in things]
    assert all(len(dumps(thing)) < len(code) for thing, code in zip(things, sent, strict=True)), "by name, afterwards"
    messages = b"".join(len(code).to_bytes(8, "big") + code for code in sent)
    done = subprocess.run([sys.executable, "-c", _PROGRAM], input=messages, capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr.decode()
    expected = ["SchedulerRecorder", "WorkerRecorder", "begin", "finish", "begin", "finish", "process_facts"]
    assert done.stdout.decode().split() == expected
