"""Wrong: hard-coded for the example: reads the numbers 1 to 12 only ("all lines")."""

from pathlib import Path


def record(folder, number, line):
    (Path(folder) / f"{number}.txt").write_text(line)


def read_lines(folder):
    files = [Path(folder) / f"{number}.txt" for number in range(1, 13)]
    return [file.read_text() for file in files if file.exists()]
