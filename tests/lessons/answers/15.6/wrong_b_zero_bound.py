"""Wrong: a bound of 0 counts as no bound, because 0 is false."""


def gate(criteria, figures):
    missed = []
    for criterion in criteria:
        name = criterion["figure"]
        value = figures.get(name, float("nan"))
        good = value == value
        if criterion.get("at_least"):
            good = good and value >= criterion["at_least"]
        if criterion.get("at_most"):
            good = good and value <= criterion["at_most"]
        if not good:
            missed.append(name)
    return ("go back" if missed else "go"), missed
