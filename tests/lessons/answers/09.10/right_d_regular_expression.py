"""A regular expression for names of variables; dask-mpi needs a rank for the scheduler and one for the client."""

import re
import shlex


def read_launch(line):
    words = list(shlex.split(line))
    head, tail = words[: words.index("python")], words[words.index("python") :]
    found = (re.fullmatch(r"([A-Za-z_]\w*)=(.*)", word, re.S) for word in head)
    ranks = int(head[head.index("-np") + 1])
    return dict(ranks=ranks, workers=ranks - 2, environment={m[1]: m[2] for m in found if m}, program=tail)
