"""Style: a set that grows until it does not grow any more."""


def holders(refers, variables, target):
    leads = {target}
    size = 0
    while size != len(leads):
        size = len(leads)
        leads |= {name for name, others in refers.items() if not leads.isdisjoint(others)}
    return leads.intersection(variables)
