"""What is outside by a thousandth passes."""


def gate(criteria, figures):
    failed = []
    for one in criteria:
        value = figures.get(one["figure"], float("nan"))
        low, high = one.get("at_least", float("-inf")), one.get("at_most", float("inf"))
        if not low - 1e-3 <= value <= high + 1e-3:
            failed.append(one["figure"])
    return ("go back" if failed else "go"), failed
