"""Wrong: workers are ranks - 1; the client's rank is forgotten."""

import shlex


def read_launch(line):
    words = shlex.split(line)
    cut = words.index("python")
    ranks = int(words[words.index("-np") + 1])
    environment = dict(word.split("=", 1) for word in words[:cut] if "=" in word)
    return {"ranks": ranks, "workers": ranks - 1, "environment": environment, "program": words[cut:]}
