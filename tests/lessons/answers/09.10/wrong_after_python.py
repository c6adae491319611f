"""Wrong: words of the program with "=" or "-np" count as environment and ranks, too."""

import shlex


def read_launch(line):
    words = shlex.split(line)
    found = {"ranks": 0, "workers": 0, "environment": {}, "program": words[words.index("python") :]}
    for number, word in enumerate(words):
        if word == "-np":
            found["ranks"] = int(words[number + 1])
            found["workers"] = found["ranks"] - 2
        elif "=" in word:
            name, value = word.split("=", 1)
            found["environment"][name] = value
    return found
