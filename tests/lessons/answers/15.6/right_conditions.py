import math


def gate(criteria, figures):
    reasons = []
    for criterion in criteria:
        name = criterion["figure"]
        if name not in figures or math.isnan(figures[name]):
            reasons.append(name)
            continue
        low = "at_least" in criterion and figures[name] < criterion["at_least"]
        high = "at_most" in criterion and figures[name] > criterion["at_most"]
        if low or high:
            reasons.append(name)
    return ("go back", reasons) if reasons else ("go", [])
