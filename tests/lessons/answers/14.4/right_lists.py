"""Lists of words."""


def scheduler_command(file, interface=None, protocol=None):
    words = ["dask", "scheduler", "--scheduler-file", str(file), "--port", "0"]
    if interface is not None:
        words += ["--interface", interface]
    if protocol is not None:
        words += ["--protocol", protocol]
    return words


def worker_command(file, threads, memory, interface=None, protocol=None):
    words = ["dask", "worker", "--scheduler-file", str(file), "--nworkers", "1"]
    words += ["--nthreads", str(threads), "--memory-limit", memory]
    if interface is not None:
        words += ["--interface", interface]
    if protocol is not None:
        words += ["--protocol", protocol]
    return words
