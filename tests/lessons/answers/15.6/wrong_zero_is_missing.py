"""`or` takes a figure of 0 for one that is not there."""


def gate(criteria, figures):
    failed = []
    for one in criteria:
        value = figures.get(one["figure"]) or float("nan")
        if not (one.get("at_least", float("-inf")) <= value <= one.get("at_most", float("inf"))):
            failed.append(one["figure"])
    return ("go back" if failed else "go"), failed
