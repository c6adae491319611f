"""Objects as well, which are no variables."""


def holders(refers, variables, target):
    leads = {target}
    while more := {name for name, others in refers.items() if leads & set(others)} - leads:
        leads |= more
    return leads
