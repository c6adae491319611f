"""Wrong: split("=") without a limit: a value ends at its own "="."""

import shlex


def read_launch(line):
    words = shlex.split(line)
    cut = words.index("python")
    ranks = int(words[words.index("-np") + 1])
    environment = {word.split("=")[0]: word.split("=")[1] for word in words[:cut] if "=" in word}
    return {"ranks": ranks, "workers": ranks - 2, "environment": environment, "program": words[cut:]}
