"""Wrong: a file for each process; a task that runs again elsewhere has two lines."""

import os
from pathlib import Path


def record(folder, number, line):
    with open(Path(folder) / f"{os.getpid()}.txt", "a") as file:
        file.write(f"{number} {line}\n")


def read_lines(folder):
    found = set()
    for path in Path(folder).iterdir():
        found |= {(path.name, text) for text in path.read_text().splitlines()}
    return [text.split(" ", 1)[1] for _, text in found]
