"""One rank of a lesson's MPI program: ``mpiexec -n 2 python -m gpucluster.lessons.simulations.ranks.program DIR``."""

from __future__ import annotations

import pickle
import sys
from pathlib import Path

import numpy as np

from ....learn.communicators import MPICommunicator
from ...examination import describe_error
from .mpi import POINTS, TASK
from .outcome import CountingCommunicator


def main(folder: Path) -> None:
    """Load this rank's own rows, run the function, and leave the result in the folder."""
    inner = MPICommunicator()
    comm = CountingCommunicator(inner)
    function = None
    try:
        function, arguments, plain = pickle.loads((folder / TASK).read_bytes())  # noqa: S301 (a private folder, written by the notebook)
        rows = np.load(folder / POINTS, mmap_mode="r")
        ends = np.cumsum([0, *map(len, np.array_split(np.arange(len(rows)), comm.size))])
        own = np.array(rows[ends[comm.rank] : ends[comm.rank + 1]])
        report = comm.report(function(inner.comm if plain else comm, own, *arguments))
        (folder / f"result-{comm.rank}.pickle").write_bytes(pickle.dumps(report))
    except Exception as error:
        (folder / f"failed-{comm.rank}.txt").write_text(describe_error(error, function), encoding="utf-8")
        inner.comm.Abort(1)  # the other ranks would wait for this one


if __name__ == "__main__":
    main(Path(sys.argv[1]))
