"""A text with a space that nobody protects."""


def scheduler_command(file, interface=None, protocol=None):
    words = f"dask scheduler --scheduler-file {file} --port 0"
    words += f" --interface {interface}" if interface else ""
    return words + (f" --protocol {protocol}" if protocol else "")


def worker_command(file, threads, memory, interface=None, protocol=None):
    words = f"dask worker --scheduler-file {file} --nworkers 1 --nthreads {threads} --memory-limit {memory}"
    words += f" --interface {interface}" if interface else ""
    return words + (f" --protocol {protocol}" if protocol else "")
