"""All variables that refer to anything."""


def holders(refers, variables, target):
    return {name for name in variables if refers[name]}
