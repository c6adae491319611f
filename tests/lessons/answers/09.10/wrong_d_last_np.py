"""Looks for -np from the end: the program may have an option of that name."""

import shlex


def read_launch(line):
    words = shlex.split(line)
    at = words.index("python")
    ranks = [int(words[place + 1]) for place, word in enumerate(words) if word == "-np" and words[place + 1].isdigit()][
        -1
    ]
    environment = dict(word.split("=", 1) for word in words[:at] if "=" in word)
    return {"ranks": ranks, "workers": ranks - 2, "environment": environment, "program": words[at:]}
