"""Dask's own parser takes each pair of number and unit."""

import re

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
