"""One set of visited names for all variables: the second variable that goes through the same object is lost."""


def holders(refers, variables, target):
    seen, found = set(), set()
    for v in variables:
        stack = [v]
        while stack:
            name = stack.pop()
            if name == target:
                found.add(v)
            elif name not in seen:
                seen.add(name)
                stack.extend(refers.get(name, []))
    return found
