from shlex import split


def read_launch(line):
    words = split(line)
    start = words.index("python")
    launcher, program = words[:start], words[start:]
    ranks = int(launcher[launcher.index("-np") + 1])
    variables = (word.partition("=") for word in launcher if not word.startswith("-"))
    environment = {name: value for name, sign, value in variables if sign}
    return {"ranks": ranks, "workers": max(0, ranks - 2), "environment": environment, "program": program}
