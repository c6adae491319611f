"""Finds only variables that refer to the target directly."""


def holders(refers, variables, target):
    return {v for v in variables if target in refers.get(v, [])}
