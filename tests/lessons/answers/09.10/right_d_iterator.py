"""Goes through the words with an iterator; quotes are taken away by shlex."""

import shlex


def read_launch(line):
    words = shlex.split(line)
    at = words.index("python")
    environment, ranks = {}, None
    front = iter(words[:at])
    for word in front:
        if word == "-np":
            ranks = int(next(front))
        elif word in ("-hostfile", "--hostfile"):
            next(front)
        elif not word.startswith("-"):
            name, equals, value = word.partition("=")
            if equals:
                environment[name] = value
    return {"ranks": ranks, "workers": ranks - 2, "environment": environment, "program": words[at:]}
