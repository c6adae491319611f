"""--interface None."""


def scheduler_command(file, interface=None, protocol=None):
    words = ["dask", "scheduler", "--scheduler-file", str(file), "--port", "0"]
    words += ["--interface", str(interface)]
    if protocol is not None:
        words += ["--protocol", protocol]
    return words


def worker_command(file, threads, memory, interface=None, protocol=None):
    words = ["dask", "worker", "--scheduler-file", str(file), "--nworkers", "1"]
    words += ["--nthreads", str(threads), "--memory-limit", memory]
    words += ["--interface", str(interface)]
    if protocol is not None:
        words += ["--protocol", protocol]
    return words
