import json
import os
from pathlib import Path

# %% right database: A database with a key: insert or replace.
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

# %% right plain_files: One file per task.
def record(folder, number, line):
    with open(os.path.join(folder, f"{number}.txt"), "w") as file:
        file.write(line)


def read_lines(folder):
    lines = []
    for name in os.listdir(folder):
        with open(os.path.join(folder, name)) as file:
            lines.append(file.read())
    return lines

# %% wrong append: Appends, as in the lesson.
# fails: Each line is there once however often its task runs
# -     with connect(folder) as database:
# -         database.execute("insert or replace into lines values (?, ?)", (int(number), line))
# +     with open(Path(folder) / "lines.txt", "a") as file:
# +         file.write(line + "\n")
# -     with connect(folder) as database:
# -         return [line for (line,) in database.execute("select line from lines order by number")]
# +     return (Path(folder) / "lines.txt").read_text().splitlines()

# %% wrong b_set_of_lines, edit of wrong append: The reader drops equal lines; "two tasks may have the same words".
# fails: Each line is there once when each task runs once
# -     return (Path(folder) / "lines.txt").read_text().splitlines()
# +     return sorted(set((Path(folder) / "lines.txt").read_text().splitlines()))

# %% wrong c_by_process, edit of right plain_files: A file for each process; a task that runs again elsewhere has two lines.
# fails: After a real crash, there are exactly as many lines as tasks
# ~ os.path.join(folder, f"{number}.txt"), "w" => Path(folder) / f"{os.getpid()}.txt", "a"
# ~ write(line) => write(f"{number} {line}\n")
def read_lines(folder):
    found = set()
    for path in Path(folder).iterdir():
        found |= {(path.name, text) for text in path.read_text().splitlines()}
    return [text.split(" ", 1)[1] for _, text in found]

# %% wrong c_one_dictionary: One JSON file for all, read and written again: two tasks at the same time lose a line.
# fails: Tasks may run again, even at the same time: JSONDecodeError
# -     with connect(folder) as database:
# -         return [line for (line,) in database.execute("select line from lines order by number")]
# +     path = Path(folder) / "lines.json"
# +     return list(json.loads(path.read_text()).values()) if path.exists() else []
def record(folder, number, line):
    path = Path(folder) / "lines.json"
    lines = json.loads(path.read_text()) if path.exists() else {}
    lines[str(number)] = line
    path.write_text(json.dumps(lines))

# %% wrong c_same_name_beside, edit of wrong append: Two runs of a task at the same time write beside under one name; one moves it away from the other.
# fails: Tasks may run again, even at the same time: FileNotFoundError
# ~ (Path(folder) / "lines.txt").read_text().splitlines() => [path.read_text() for path in Path(folder).glob("*.txt")]
# -     with open(Path(folder) / "lines.txt", "a") as file:
# -         file.write(line + "\n")
# +     beside = Path(folder) / f"{number}.new"
# +     beside.write_text(line)
# +     os.rename(beside, Path(folder) / f"{number}.txt")

# %% wrong created_once, edit of right plain_files: If the file exists, its line is assumed to be in it.
# fails: After a crash between opening a file and writing, each line is there
# -     with open(os.path.join(folder, f"{number}.txt"), "w") as file:
# +     path = os.path.join(folder, f"{number}.txt")
# +     if os.path.exists(path):
# +         return
# +     with open(path, "w") as file:

# %% wrong lock_stays, edit of right plain_files: A lock file stays when its writer crashes, and all others wait forever.
# fails: A task that restarts after a crash finishes
# -     with open(os.path.join(folder, f"{number}.txt"), "w") as file:
# -         file.write(line)
# +     lock = Path(folder) / "lock"
# +     while lock.exists():
# +         time.sleep(0.01)
# +     lock.touch()
# +     with open(os.path.join(folder, f"{number}.txt"), "w") as file:
# +         file.write(line)
# +     lock.unlink(missing_ok=True)
import time

# %% wrong ascii, edit of right plain_files: Letters that ASCII does not have are left out.
# fails: Each line is there once when each task runs once
# ~ "w") as => "w", encoding="ascii", errors="ignore") as
