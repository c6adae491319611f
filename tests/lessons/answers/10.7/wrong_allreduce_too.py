"""Wrong: calls allreduce, where only messages from rank to rank are allowed."""

import numpy as np


def ring_allreduce(comm, values):
    return comm.allreduce(np.array(values))
