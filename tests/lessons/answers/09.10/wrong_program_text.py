"""Wrong: the program is one text, not a list of words."""

import shlex


def read_launch(line):
    words = shlex.split(line)
    cut = words.index("python")
    ranks = int(words[words.index("-np") + 1])
    environment = dict(word.split("=", 1) for word in words[:cut] if "=" in word)
    return {"ranks": ranks, "workers": ranks - 2, "environment": environment, "program": " ".join(words[cut:])}
