"""Right: a small database with the number as key: insert or replace."""

import sqlite3
from contextlib import closing
from pathlib import Path


def _open(folder):
    database = sqlite3.connect(Path(folder) / "lines.db", timeout=60)
    database.execute("create table if not exists lines (number primary key, line text)")
    return database


def record(folder, number, line):
    with closing(_open(folder)) as database, database:
        database.execute("insert or replace into lines values (?, ?)", (number, line))


def read_lines(folder):
    with closing(_open(folder)) as database:
        return [line for (line,) in database.execute("select line from lines")]
