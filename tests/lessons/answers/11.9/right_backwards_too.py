"""Style: turn all arrows round, and walk from the target with a list as the stack."""


def holders(refers, variables, target):
    back = {}
    for name, others in refers.items():
        for other in others:
            back.setdefault(other, []).append(name)
    seen, stack = {target}, [target]
    while stack:
        for name in back.get(stack.pop(), ()):
            if name not in seen:
                seen.add(name)
                stack.append(name)
    return {name for name in variables if name in seen and name != target}
