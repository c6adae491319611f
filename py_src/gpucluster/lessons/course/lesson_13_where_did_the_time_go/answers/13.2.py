import re

# %% right dask_parse: Dask's own parser takes each pair of number and unit.
from dask.utils import parse_timedelta


def facts(text):
    def value(label):
        match = re.search(rf"\b{label}:([^&<]*)", text)
        return match[1].split() if match else []

    def seconds(words):
        if len(words) == 2 and words[1].isalpha():
            words = ["".join(words)]
        return float(sum(parse_timedelta(word.replace("hr", "h")) for word in words))

    return {
        "seconds": seconds(value("Duration")),
        "tasks": int(value("number of tasks")[0]),
        "compute": seconds(value("compute time")),
        "threads": int(value("Threads")[0]),
    }

# %% right unescaped: Make HTML of it first, then look for items.
import html


def facts(text):
    page = html.unescape(text).replace("\\n", "\n")

    def written(label):
        found = re.search(label + r": (.*?) </", page)
        return found.group(1) if found else ""

    def as_seconds(time):
        total = 0
        for value, unit in re.findall(r"(\d+\.?\d*) ?(us|ms|s|m|hr|d)\b", time):
            total += float(value) * {"us": 1e-6, "ms": 1e-3, "s": 1, "m": 60, "hr": 60 * 60, "d": 24 * 60 * 60}[unit]
        return total

    return {
        "seconds": as_seconds(written("Duration")),
        "tasks": float(written("number of tasks")),
        "compute": as_seconds(written("compute time")),
        "threads": int(written("Threads")),
    }

# %% wrong compute_of_one_thread, edit of the solution
# fails: The compute time is in seconds, excluding transfers
# ~ float(in_seconds(after("compute time:"))) => in_seconds(after("compute time:")) / int(after("Threads:"))

# %% wrong no_line_no_answer, edit of the solution
# fails: It runs without an error: TypeError
# ~ strip() if found else "" => strip()

# %% wrong first_time_line, edit of the solution
# fails: If no task computed, the compute time is 0
# ~ in_seconds(after("compute time:")) => in_seconds(after("time:"))

# %% wrong hard_coded
# fails: The duration is in seconds, whatever its unit
def facts(text):
    return {"seconds": 0.38063, "tasks": 10, "compute": 0.50962, "threads": 2}

# %% wrong nan_where_missing, edit of wrong first_time_line
# fails: "compute" is a finite number
# ~ "compute": float(in_seconds(after("time:"))), => "compute": in_seconds(after("compute time:")) or float("nan"),

# %% wrong one_digit, edit of the solution: The counts are read with \d in place of \d+, so only their first digit.
# fails: The number of tasks is right
# ~ after("number of tasks:") => re.search(r"number of tasks: (\d)", text)[1]
# ~ after("Threads:") => re.search(r"Threads: (\d)", text)[1]

# %% wrong text_of_numbers, edit of the solution
# fails: "tasks" is one number
# ~ int(after("number of tasks:")) => after("tasks") + " tasks"

# %% wrong threads_are_workers, edit of the solution
# fails: The threads of all workers are counted
# ~ after("Threads:") => after("Workers:")
