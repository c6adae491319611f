"""Appends, as in the lesson."""

from pathlib import Path


def record(folder, number, line):
    with open(Path(folder) / "lines.txt", "a") as file:
        file.write(line + "\n")


def read_lines(folder):
    return (Path(folder) / "lines.txt").read_text().splitlines()
