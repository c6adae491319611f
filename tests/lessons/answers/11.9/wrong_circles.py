"""Recursion without a memory of where it has been: fails where objects refer to each other in circles."""


def holders(refers, variables, target):
    def reaches(name):
        return name == target or any(reaches(other) for other in refers.get(name, []))

    return {v for v in variables if reaches(v)}
