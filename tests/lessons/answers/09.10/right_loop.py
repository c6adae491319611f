import shlex


def read_launch(line):
    found = {"ranks": 0, "workers": 0, "environment": {}, "program": []}
    words = iter(shlex.split(line))
    for word in words:
        if word == "python":
            found["program"] = [word, *words]
        elif word == "-np":
            found["ranks"] = int(next(words))
        elif word == "-hostfile":
            next(words)
        elif "=" in word:
            name, _, value = word.partition("=")
            found["environment"][name] = value
    found["workers"] = found["ranks"] - 2
    return found
