"""Right: no regular expressions: unescaped with html, cut by partition, read word by word."""

import html


def facts(text):
    plain = html.unescape(text)
    plain = plain[plain.index("Duration:") :].partition("Calling Code")[0]

    def after(label):
        _, found, rest = plain.partition(label + ": ")
        return rest.partition("<")[0].strip() if found else ""

    def seconds(value):
        total, number = 0.0, None
        for word in value.split():
            for unit, factor in (("us", 1e-6), ("ms", 0.001), ("hr", 3600.0), ("d", 86400.0), ("m", 60.0), ("s", 1.0)):
                if word == unit:
                    total, number = total + number * factor, None
                    break
                if word.endswith(unit):
                    total += float(word[: -len(unit)]) * factor
                    break
            else:
                number = float(word)
        return total

    return {
        "threads": int(after("Threads")),
        "compute": seconds(after("compute time")),
        "tasks": int(after("number of tasks")),
        "seconds": seconds(after("Duration")),
    }
