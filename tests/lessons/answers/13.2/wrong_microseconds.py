"""Wrong: "us" is forgotten and read as seconds (its last letter)."""

import re


def facts(text):
    def seconds(label):
        value = re.search(label + r": ([^&]+)", text)
        total = 0.0
        for word in re.findall(r"[\d.]+\s*[a-z]+", value[1] if value else ""):
            number = float(re.match(r"[\d.]+", word)[0])
            if word.endswith("ms"):
                total += number / 1000
            elif word.endswith("hr"):
                total += number * 3600
            elif word.endswith("d"):
                total += number * 86400
            elif word.endswith("m"):
                total += number * 60
            elif word.endswith("s"):
                total += number
        return total

    return {
        "seconds": seconds("Duration"),
        "tasks": int(re.search(r"number of tasks: (\d+)", text)[1]),
        "compute": seconds("compute time"),
        "threads": int(re.search(r"Threads: (\d+)", text)[1]),
    }
