"""Returns objects on the way as well, not only variables."""


def holders(refers, variables, target):
    leads, grown = {target}, True
    while grown:
        more = {n for n, others in refers.items() if set(others) & leads} - leads
        leads |= more
        grown = bool(more)
    return leads - {target}
