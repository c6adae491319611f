"""Wrong: remembers in the worker's memory who has written; a crash, or another worker, does not know it."""

from pathlib import Path

DONE = set()


def record(folder, number, line):
    if (str(folder), number) in DONE:
        return
    with open(Path(folder) / "lines.txt", "a") as file:
        file.write(line + "\n")
    DONE.add((str(folder), number))


def read_lines(folder):
    return (Path(folder) / "lines.txt").read_text().splitlines()
