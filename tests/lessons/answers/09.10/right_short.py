"""Right: very short: index of "python", comprehensions."""

import shlex


def read_launch(line):
    words = shlex.split(line)
    cut = words.index("python")
    if "-hostfile" in words[:cut]:
        at = words.index("-hostfile")
        cut = at + 2 + words[at + 2 :].index("python")
        words, cut = words[:at] + words[at + 2 :], cut - 2
    ranks = int(words[words.index("-np") + 1])
    return {
        "program": words[cut:],
        "environment": dict(word.split("=", 1) for word in words[:cut] if "=" in word),
        "workers": ranks - 2,
        "ranks": ranks,
    }
