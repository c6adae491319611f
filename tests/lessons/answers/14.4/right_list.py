"""Style: lists of words, str() for each."""


def _more(interface, protocol):
    given = {"--interface": interface, "--protocol": protocol}
    return [str(w) for pair in given.items() if pair[1] is not None for w in pair]


def scheduler_command(file, interface=None, protocol=None):
    return ["dask", "scheduler", "--scheduler-file", str(file), "--port", "0", *_more(interface, protocol)]


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
        str(memory),
        *_more(interface, protocol),
    ]
