"""Writes --interface None and --protocol None where they are not given."""


def scheduler_command(file, interface=None, protocol=None):
    return [
        "dask",
        "scheduler",
        "--scheduler-file",
        str(file),
        "--port",
        "0",
        "--interface",
        str(interface),
        "--protocol",
        str(protocol),
    ]


def worker_command(file, threads, memory, interface=None, protocol=None):
    return [
        "dask",
        "worker",
        "--scheduler-file",
        str(file),
        "--nworkers",
        "1",
        "--nthreads",
        str(threads),
        "--memory-limit",
        memory,
        "--interface",
        str(interface),
        "--protocol",
        str(protocol),
    ]
