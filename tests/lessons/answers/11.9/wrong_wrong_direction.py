"""Follows the arrows from the target onwards: finds what the array refers to, not who refers to it."""


def holders(refers, variables, target):
    seen, stack = set(), [target]
    while stack:
        for other in refers.get(stack.pop(), []):
            if other not in seen:
                seen.add(other)
                stack.append(other)
    return seen & set(variables)
