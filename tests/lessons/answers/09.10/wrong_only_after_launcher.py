"""Wrong: variables in front of the launcher's name are forgotten."""

import shlex


def read_launch(line):
    words = shlex.split(line)
    cut = words.index("python")
    at = words.index("-np")
    ranks = int(words[at + 1])
    environment = dict(word.split("=", 1) for word in words[at:cut] if "=" in word)
    return {"ranks": ranks, "workers": ranks - 2, "environment": environment, "program": words[cut:]}
