"""From the target backwards, until nothing new comes."""


def holders(refers, variables, target):
    leads = {target}
    while True:
        more = {name for name, others in refers.items() if leads & set(others)} - leads
        if not more:
            return leads & set(variables)
        leads |= more
