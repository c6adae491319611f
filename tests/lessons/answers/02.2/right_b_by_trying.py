"""Runs the five snippets with a counter, one after the other, without a cluster."""

import io

import dask
import numpy as np
from dask import delayed

calls = 0


def load(number):
    global calls
    calls += 1
    return np.arange(10) + number


def a():
    x = delayed(load)(1)
    total, rows = x.sum(), x.size
    total.compute()
    rows.compute()


def b():
    x = delayed(load)(1)
    total, rows = x.sum(), x.size
    dask.compute(total, rows)


def c():
    x = delayed(load)(1)
    total, rows = x.sum(), x.size
    print(total, rows, file=io.StringIO())


def d():
    x = delayed(load)(1)
    y = delayed(load)(1)
    dask.compute(x.sum(), y.sum())


def e():
    x = delayed(load)(1).persist()
    x.sum().compute()
    x.size.compute()


loads = {}
with dask.config.set(scheduler="synchronous"):
    for snippet in (a, b, c, d, e):
        calls = 0
        snippet()
        loads[snippet.__name__] = calls
