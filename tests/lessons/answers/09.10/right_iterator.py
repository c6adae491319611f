"""Right: shlex and an iterator that eats the word after an option."""

import shlex


def read_launch(line):
    words = iter(shlex.split(line))
    found = {"ranks": None, "workers": None, "environment": {}, "program": []}
    for word in words:
        if word == "-np":
            found["ranks"] = int(next(words))
            found["workers"] = max(found["ranks"] - 2, 0)
        elif word == "-hostfile":
            next(words)
        elif word == "python":
            found["program"] = [word, *words]
        elif "=" in word:
            name, _, value = word.partition("=")
            found["environment"][name] = value
    return found
