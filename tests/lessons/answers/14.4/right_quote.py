"""Style: f-strings with shlex.quote."""

from shlex import quote as q


def scheduler_command(file, interface=None, protocol=None):
    text = f"dask scheduler --port 0 --scheduler-file {q(str(file))}"
    if interface is not None:
        text += f" --interface {q(interface)}"
    if protocol is not None:
        text += f" --protocol {q(protocol)}"
    return text


def worker_command(file, threads, memory, interface=None, protocol=None):
    text = f"dask worker --nworkers 1 --nthreads {threads} --memory-limit {q(memory)} --scheduler-file {q(str(file))}"
    return (
        text
        + (f" --interface {q(interface)}" if interface else "")
        + (f" --protocol {q(protocol)}" if protocol else "")
    )
