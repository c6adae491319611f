"""Quotes stay, and values with spaces are cut."""


def read_launch(line):
    words = line.split()
    at = words.index("python")
    ranks = int(words[words.index("-np") + 1])
    environment = dict(word.split("=", 1) for word in words[:at] if "=" in word)
    environment = {name: value.strip("'\"") for name, value in environment.items()}
    return {"ranks": ranks, "workers": ranks - 2, "environment": environment, "program": words[at:]}
