import shlex


def read_launch(line):
    words = shlex.split(line)
    start = words.index("python")
    place = len(words) - 1 - words[::-1].index("-np")
    ranks = int(words[place + 1])
    environment = dict(word.split("=", 1) for word in words[:start] if "=" in word)
    return {"ranks": ranks, "workers": ranks - 2, "environment": environment, "program": words[start:]}
