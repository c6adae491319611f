"""The worker ignores interface and protocol."""


def scheduler_command(file, interface=None, protocol=None):
    more = (["--interface", interface] if interface else []) + (["--protocol", protocol] if protocol else [])
    return ["dask", "scheduler", "--scheduler-file", str(file), "--port", "0", *more]


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
    ]
