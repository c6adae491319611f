"""Two steps, and no more."""


def holders(refers, variables, target):
    return {
        name
        for name in variables
        if target in refers[name] or any(target in refers.get(other, []) for other in refers[name])
    }
