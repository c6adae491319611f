"""Follows only the first reference of each."""


def holders(refers, variables, target):
    found = set()
    for variable in variables:
        name, seen = variable, set()
        while name is not None and name not in seen:
            seen.add(name)
            name = next(iter(refers.get(name, [])), None)
        if target in seen:
            found.add(variable)
    return found
