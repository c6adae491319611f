"""Texts, with shlex.quote."""

from shlex import quote


def more(interface, protocol):
    return (f" --interface {interface}" if interface else "") + (f" --protocol {protocol}" if protocol else "")


def scheduler_command(file, interface=None, protocol=None):
    return f"dask scheduler --port 0 --scheduler-file {quote(str(file))}" + more(interface, protocol)


def worker_command(file, threads, memory, interface=None, protocol=None):
    return (
        f"dask worker --nthreads {threads} --memory-limit {quote(memory)} --nworkers 1"
        f" --scheduler-file {quote(str(file))}" + more(interface, protocol)
    )
