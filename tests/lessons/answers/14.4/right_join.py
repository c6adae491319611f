"""Style: one text by shlex.join, options with =, the rest in another order."""

import shlex


def _command(program, **options):
    words = ["dask", program]
    for name, value in options.items():
        if value:
            words.append(f"--{name.replace('_', '-')}={value}")
    return shlex.join(words)


def scheduler_command(file, interface=None, protocol=None):
    return _command("scheduler", protocol=protocol, interface=interface, port="0", scheduler_file=file)


def worker_command(file, threads, memory, interface=None, protocol=None):
    return _command(
        "worker",
        memory_limit=memory,
        nthreads=threads,
        nworkers=1,
        protocol=protocol,
        interface=interface,
        scheduler_file=file,
    )
