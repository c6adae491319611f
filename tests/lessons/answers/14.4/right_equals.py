"""Options with =, joined by shlex, as a tuple."""

import shlex


def options(**given):
    return [f"--{name.replace('_', '-')}={value}" for name, value in given.items() if value is not None]


def scheduler_command(file, interface=None, protocol=None):
    words = options(scheduler_file=file, port=0, interface=interface, protocol=protocol)
    return shlex.join(["dask", "scheduler", *words])


def worker_command(file, threads, memory, interface=None, protocol=None):
    words = options(
        scheduler_file=file, nthreads=threads, nworkers=1, memory_limit=memory, interface=interface, protocol=protocol
    )
    return ("dask", "worker", *words)
