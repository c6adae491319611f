"""Follows the references from the target instead of to it."""


def holders(refers, variables, target):
    seen, todo = set(), [target]
    while todo:
        name = todo.pop()
        if name not in seen:
            seen.add(name)
            todo.extend(refers.get(name, []))
    return {name for name in variables if name in seen}
