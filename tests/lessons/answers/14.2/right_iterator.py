"""takewhile for the head, and an index for the words."""

from itertools import takewhile

SHORT = {
    "-A": "account",
    "-c": "cpus-per-task",
    "-J": "job-name",
    "-N": "nodes",
    "-n": "ntasks",
    "-o": "output",
    "-p": "partition",
    "-t": "time",
}


def directives(script):
    head = takewhile(lambda line: not line.strip() or line.strip()[0] == "#", script.split("\n"))
    pairs = []
    for line in head:
        if line[:8] != "#SBATCH ":
            continue
        words = list(takewhile(lambda word: word[0] != "#", line[8:].split()))
        for place, word in enumerate(words):
            if not word.startswith("-"):
                continue
            following = words[place + 1] if place + 1 < len(words) else "-"
            name, equals, value = word.partition("=")
            if not equals:
                value = True if following.startswith("-") else following
            pairs.append((SHORT[name] if name in SHORT else name[2:], value))
    return dict(pairs)
