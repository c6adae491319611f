# %% right counted
from dask.delayed import delayed

calls = []


def load(month):
    calls.append(month)
    return month


delayed(load)(1).compute(scheduler="synchronous")
once = len(calls)
loads = {"a": 2 * once, "b": once, "c": 0, "d": once + once, "e": once}

# %% right numbers
loads = {"a": 2, "b": 1, "c": 0, "d": 2, "e": 1}

# %% wrong b_per_question: Counts the questions; one request of b loads once for both.
# fails: Snippet b loads as many times as you say
loads = {"a": 2, "b": 2, "c": 0, "d": 2, "e": 2}

# %% wrong b_persist_free: Persist runs the plan, so e loads once and not never.
# fails: Snippet e loads as many times as you say
loads = {"a": 2, "b": 1, "c": 0, "d": 2, "e": 0}

# %% wrong b_print_loads: Print shows the plan only and loads nothing in c.
# fails: Snippet c loads as many times as you say
loads = {"a": 2, "b": 1, "c": 1, "d": 2, "e": 1}

# %% wrong b_remembers: A lazy object does not remember, so a loads twice and not once.
# fails: Snippet a loads as many times as you say
loads = {"a": 1, "b": 1, "c": 0, "d": 2, "e": 1}

# %% wrong b_same_call_once: In d the two calls of a delayed function are two tasks, although their arguments are equal.
# fails: Snippet d loads as many times as you say
loads = {"a": 2, "b": 1, "c": 0, "d": 1, "e": 1}

# %% wrong one_missing
# fails: There is a number for each snippet
loads = {"a": 2, "b": 1, "c": 0, "d": 2}
