"""Compares lines, so that equal lines of two tasks become one."""

from pathlib import Path


def record(folder, number, line):
    with open(Path(folder) / "lines.txt", "a") as file:
        file.write(line + "\n")


def read_lines(folder):
    return sorted(set((Path(folder) / "lines.txt").read_text().splitlines()))
