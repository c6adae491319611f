"""pandas knows most of the units."""

import re

import pandas as pd


def facts(text):
    found = {}
    for name, label in (
        ("seconds", "Duration"),
        ("compute", "compute time"),
        ("tasks", "number of tasks"),
        ("threads", "Threads"),
    ):
        match = re.search(rf"{label}: ([^&]+)&lt;", text)
        value = match[1].strip() if match else "0 s"
        if name in ("seconds", "compute"):
            if "s" in value:
                found[name] = pd.Timedelta(value.replace("hr", "h").replace("m ", "min ")).total_seconds()
            else:
                clock = value.replace("hr", "h")
                clock = re.sub(r"(\d+)m$", r"\1min", clock)
                found[name] = pd.Timedelta(clock).total_seconds()
            number = re.match(r"([\d.]+) (us|ms)$", value)  # nanoseconds are not enough digits for these
            if number:
                found[name] = float(number[1]) * {"us": 1e-6, "ms": 1e-3}[number[2]]
        else:
            found[name] = int(value)
    return found
