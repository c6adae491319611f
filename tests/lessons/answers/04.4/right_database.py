"""A database with a key: insert or replace."""

import sqlite3


def connect(folder):
    database = sqlite3.connect(f"{folder}/lines.db", timeout=30)
    database.execute("create table if not exists lines (number integer primary key, line text)")
    return database


def record(folder, number, line):
    with connect(folder) as database:
        database.execute("insert or replace into lines values (?, ?)", (int(number), line))


def read_lines(folder):
    with connect(folder) as database:
        return [line for (line,) in database.execute("select line from lines order by number")]
