"""Wrong: nan is neither below nor above a bound, so it passes, but not a number is not met."""


def gate(criteria, figures):
    missed = []
    for criterion in criteria:
        name = criterion["figure"]
        value = figures.get(name)
        if (
            value is None
            or "at_least" in criterion
            and value < criterion["at_least"]
            or "at_most" in criterion
            and value > criterion["at_most"]
        ):
            missed.append(name)
    return ("go back" if missed else "go"), missed
