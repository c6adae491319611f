"""Lesson 09, the line that starts an MPI program: who gets which of its words."""

from __future__ import annotations

import shlex
from typing import Any

import numpy as np

from ...examination import Examination, describe
from .. import exercise

_NAMES = ("MV2_USE_CUDA", "MV2_USE_GDRCOPY", "MV2_GPUDIRECT_GDRCOPY_LIB", "MV2_CPU_BINDING_LEVEL",
          "MV2_CPU_BINDING_POLICY", "OMP_NUM_THREADS", "UCX_TLS")  # fmt: skip
_PROGRAMS = (["python", "numpy_sum.py"], ["python", "-u", "merge.py", "--type", "gpu", "--runs", "20"],
             ["python", "train.py", "lr=0.1", "-np", "3"],
             ["python", "merge.py", "--chunk-size", "1_000_000_00"])  # fmt: skip
KEYS = ("ranks", "workers", "environment", "program")


@exercise("09.10", "read_launch")
def check_launch(exam: Examination, read_launch: Any) -> None:
    """Every word of the line is found in its place: the launcher's, the environment's, the program's."""
    for number in range(40):
        line, true = _random_line(exam.rng, number)
        found = exam.call(read_launch, line)
        exam.require("It returns a dictionary", isinstance(found, dict), describe(found))
        missing = [key for key in KEYS if key not in found]
        exam.require("It has the keys ranks, workers, environment and program", not missing, f"missing: {missing}")
        for key, words in (
            ("ranks", "ranks is the number after -np of the launcher, as an int"),
            ("workers", "workers are the ranks without the scheduler's and the client's"),
            ("environment", "environment has each NAME=VALUE before the program, and no other"),
            ("program", "program is the list of words from python on"),
        ):
            mine = list(found[key]) if isinstance(found[key], tuple) else found[key]
            right = mine == true[key] and (key not in {"ranks", "workers"} or isinstance(mine, (int, np.integer)))
            exam.expect(words, right, f"{mine!r}, expected {true[key]!r}, in: {line}")
        if not exam.passed:
            return


def _random_line(rng: np.random.Generator, number: int) -> tuple[str, dict[str, Any]]:
    ranks = int(rng.integers(3, 200))
    environment: dict[str, str] = {}
    before = []
    if rng.random() < 0.7:
        environment["LD_PRELOAD"] = f"/opt/mpi{int(rng.integers(1, 9))}/lib64/libmpi.so"
        before.append(f"LD_PRELOAD={environment['LD_PRELOAD']}")
    options = [["-export-all"], ["-np", str(ranks)], ["-hostfile", str(rng.choice(["hosts", "my_hosts.txt"]))]]
    if number % 4 == 1:
        options[-1] = [f"gpu{place}" for place in range(11, 11 + int(rng.integers(1, 5)))]  # names of nodes
    if number % 3 == 0:
        options = options[1:]
    launcher = [word for place in rng.permutation(len(options)) for word in options[place]]
    settings = []
    for name in rng.permutation(_NAMES)[: int(rng.integers(0, 5))]:
        value = str(rng.choice(["1", "SCATTER", "/opt/gdrcopy2.0/lib64/libgdrapi.so", "a=b", "two words"]))
        environment[str(name)] = value
        settings.append(shlex.quote(f"{name}={value}") if rng.random() < 0.5 else f"{name}={shlex.quote(value)}")
    program = [str(word) for word in _PROGRAMS[int(rng.integers(len(_PROGRAMS)))]]
    start = "/opt/mvapich2/bin/mpirun_rsh" if rng.random() < 0.5 else "mpirun_rsh"
    line = " ".join([*before, start, *launcher, *settings, *program])
    return line, {"ranks": ranks, "workers": ranks - 2, "environment": environment, "program": program}
