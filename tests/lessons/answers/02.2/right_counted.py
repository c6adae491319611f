from dask.delayed import delayed

calls = []


def load(month):
    calls.append(month)
    return month


delayed(load)(1).compute(scheduler="synchronous")
once = len(calls)
loads = {"a": 2 * once, "b": once, "c": 0, "d": once + once, "e": once}
