"""A rank that is a worker needs MPI until it ends, whatever its tasks do."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import Any, NoReturn

FINALIZED = "code in a task finalized MPI, which its worker needs"


def keep_mpi(MPI: Any, failed: str) -> None:
    """Let ``MPI.Finalize()`` fail in tasks, and end this process where other code finalizes MPI all the same.

    The worker would look well otherwise, and could not reach the other ranks any more.

    Parameters
    ----------
    MPI : module
        ``mpi4py.MPI``, initialized.
    failed : str
        What a line begins with that tells why this rank has ended.
    """

    def Finalize() -> NoReturn:
        raise RuntimeError(
            "A task cannot finalize MPI: its worker is a rank, which needs MPI until the cluster stops. Leave "
            "MPI.Finalize() out"
        )

    def end(*_: Any) -> NoReturn:
        with suppress(OSError, ValueError):
            sys.stderr.write(f"{failed}{FINALIZED}\n")
            sys.stderr.flush()
        os._exit(1)

    MPI.Finalize = Finalize
    # MPI promises to delete what is attached there before it finalizes anything else.
    MPI.COMM_SELF.Set_attr(MPI.Comm.Create_keyval(delete_fn=end), True)
