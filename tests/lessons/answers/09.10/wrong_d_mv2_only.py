"""Only the variables of MVAPICH2 and LD_PRELOAD."""

import shlex


def read_launch(line):
    words = shlex.split(line)
    at = words.index("python")
    ranks = int(words[words.index("-np") + 1])
    taken = [word for word in words[:at] if word.startswith(("MV2_", "LD_PRELOAD="))]
    return {
        "ranks": ranks,
        "workers": ranks - 2,
        "environment": dict(word.split("=", 1) for word in taken),
        "program": words[at:],
    }
