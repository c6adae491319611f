"""Keeps the pool, and leaves out --rmm-async."""


def repair(command, scheduler):
    words = [word for word in command.split()[1:] if not word.endswith("jit-unspill") and word != "--rmm-async"]
    return " ".join(["dask cuda worker", scheduler, *words])
