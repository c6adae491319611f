import shlex


def read_launch(line):
    words = shlex.split(line)
    start = words.index("python")
    before = words[:start]
    ranks = int(before[before.index("-np") + 1])
    environment = dict(word.split("=", 1) for word in words if "=" in word)
    return {"ranks": ranks, "workers": ranks - 2, "environment": environment, "program": words[start:]}
