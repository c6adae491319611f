"""The second run of a task ends with an error."""

from pathlib import Path


def record(folder, number, line):
    with open(Path(folder) / f"{number}.txt", "x") as file:
        file.write(line)


def read_lines(folder):
    return [path.read_text() for path in Path(folder).iterdir()]
