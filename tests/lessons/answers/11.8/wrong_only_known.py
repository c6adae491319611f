"""Keeps only the options that the lesson speaks of."""


def repair(command, scheduler):
    words = command.split()
    kept = [word for word in words if word.startswith(("--protocol", "--rmm", "--enable-cudf"))]
    return " ".join(["dask cuda worker", scheduler, *kept])
