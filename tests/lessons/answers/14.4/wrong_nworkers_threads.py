"""Exchanges the two: as many processes as threads are asked for, with one thread each."""


def scheduler_command(file, interface=None, protocol=None):
    more = (["--interface", interface] if interface else []) + (["--protocol", protocol] if protocol else [])
    return ["dask", "scheduler", "--scheduler-file", str(file), "--port", "0", *more]


def worker_command(file, threads, memory, interface=None, protocol=None):
    more = (["--interface", interface] if interface else []) + (["--protocol", protocol] if protocol else [])
    return [
        "dask",
        "worker",
        "--scheduler-file",
        str(file),
        "--nworkers",
        str(threads),
        "--nthreads",
        "1",
        "--memory-limit",
        memory,
        *more,
    ]
