"""Wrong: looks whether "1:" stands somewhere in the file, which is also true after task 11: its line is not kept."""

from pathlib import Path


def record(folder, number, line):
    file = Path(folder) / "lines.txt"
    if file.exists() and f"{number}:" in file.read_text():
        return
    with open(file, "a") as out:
        out.write(f"{number}:{line}\n")


def read_lines(folder):
    rows = (Path(folder) / "lines.txt").read_text().splitlines()
    return list(dict(row.split(":", 1) for row in rows).values())
