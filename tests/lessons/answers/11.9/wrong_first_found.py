"""Stops at the first variable."""


def holders(refers, variables, target):
    for variable in variables:
        seen, todo = set(), [variable]
        while todo:
            name = todo.pop()
            if name not in seen:
                seen.add(name)
                todo.extend(refers.get(name, []))
        if target in seen:
            return {variable}
    return set()
