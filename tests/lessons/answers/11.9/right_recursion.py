"""Recursion with the names on the way."""


def holders(refers, variables, target):
    def reaches(name, way):
        if name == target:
            return True
        return any(reaches(other, way | {name}) for other in refers.get(name, []) if other not in way)

    return [name for name in variables if reaches(name, frozenset())]
