"""Only who refers to it directly."""


def holders(refers, variables, target):
    return {name for name in variables if target in refers[name]}
