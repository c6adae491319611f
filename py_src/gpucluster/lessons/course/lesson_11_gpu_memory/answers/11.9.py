# %% right backwards: From the target backwards, until nothing new comes.
def holders(refers, variables, target):
    leads = {target}
    while True:
        more = {name for name, others in refers.items() if leads & set(others)} - leads
        if not more:
            return leads & set(variables)
        leads |= more

# %% right recursion: Recursion with the names on the way.
def holders(refers, variables, target):
    def reaches(name, way):
        if name == target:
            return True
        return any(reaches(other, way | {name}) for other in refers.get(name, []) if other not in way)

    return {name for name in variables if reaches(name, frozenset())}

# %% wrong all_names: Objects as well, which are no variables.
# fails: All of them are variables
# ~ leads & set(variables) => leads

# %% wrong all_variables: All variables that refer to anything.
# fails: No other variable is listed
def holders(refers, variables, target):
    return {name for name in variables if refers[name]}

# %% wrong circles: Recursion without a memory of where it has been: fails where objects refer to each other in circles.
# fails: It runs without an error: RecursionError
def holders(refers, variables, target):
    def reaches(name):
        return name == target or any(reaches(other) for other in refers.get(name, []))

    return {v for v in variables if reaches(v)}

# %% wrong direct_only: Only who refers to it directly.
# fails: Every variable that leads to the object is listed, directly or through others
def holders(refers, variables, target):
    return {name for name in variables if target in refers[name]}
