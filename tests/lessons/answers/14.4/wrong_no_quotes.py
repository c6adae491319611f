"""A path or size with a space falls apart: nothing is quoted."""


def scheduler_command(file, interface=None, protocol=None):
    text = f"dask scheduler --scheduler-file {file} --port 0"
    if interface:
        text += f" --interface {interface}"
    return text + (f" --protocol {protocol}" if protocol else "")


def worker_command(file, threads, memory, interface=None, protocol=None):
    text = f"dask worker --scheduler-file {file} --nworkers 1 --nthreads {threads} --memory-limit {memory}"
    if interface:
        text += f" --interface {interface}"
    return text + (f" --protocol {protocol}" if protocol else "")
