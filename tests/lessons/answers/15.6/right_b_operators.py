"""Right: a table of operators; what cannot be compared counts as not a number."""

import operator

import numpy as np

TESTS = {"at_least": operator.ge, "at_most": operator.le}


def passes(criterion, value):
    if value is None or isinstance(value, str) or not np.isscalar(value) or value != value:
        return False
    return all(test(value, criterion[bound]) for bound, test in TESTS.items() if bound in criterion)


def gate(criteria, figures):
    failed = list(
        filter(
            lambda name: name is not None,
            (
                None if passes(criterion, figures.get(criterion["figure"])) else criterion["figure"]
                for criterion in criteria
            ),
        )
    )
    return ["go", "go back"][len(failed) > 0], failed
