"""Looks two steps far only: right for a list that holds the array, not for deeper ones."""


def holders(refers, variables, target):
    found = set()
    for v in variables:
        for one in refers.get(v, []):
            if one == target or target in refers.get(one, []):
                found.add(v)
    return found
