"""Takes one rank only away, for the scheduler."""

import shlex


def read_launch(line):
    words = shlex.split(line)
    at = words.index("python")
    ranks = int(words[words.index("-np") + 1])
    environment = dict(word.split("=", 1) for word in words[:at] if "=" in word)
    return {"ranks": ranks, "workers": ranks - 1, "environment": environment, "program": words[at:]}
