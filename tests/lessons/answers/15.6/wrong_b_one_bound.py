"""Wrong: where there are both bounds it looks at the first one only."""


def gate(criteria, figures):
    missed = []
    for criterion in criteria:
        name = criterion["figure"]
        value = figures.get(name, float("nan"))
        if "at_least" in criterion:
            good = value >= criterion["at_least"]
        else:
            good = value <= criterion["at_most"]
        if not good:
            missed.append(name)
    return ("go back" if missed else "go"), missed
