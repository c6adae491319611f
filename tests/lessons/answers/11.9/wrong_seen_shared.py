"""What one variable has seen is not looked at again for the next one."""


def holders(refers, variables, target):
    found, seen = set(), set()
    for variable in variables:
        todo, reached = [variable], False
        while todo:
            name = todo.pop()
            reached = reached or name == target
            if name not in seen:
                seen.add(name)
                todo.extend(refers.get(name, []))
        if reached:
            found.add(variable)
    return found
