"""Fails in a circle."""


def holders(refers, variables, target):
    def reaches(name):
        return name == target or any(reaches(other) for other in refers.get(name, []))

    return {name for name in variables if reaches(name)}
