"""Answers to exercise 14.4."""

# %% right equals: Options with =, joined by shlex, as a tuple.
import shlex


def options(**given):
    return [f"--{name.replace('_', '-')}={value}" for name, value in given.items() if value is not None]


def scheduler_command(file, interface=None, protocol=None):
    words = options(scheduler_file=file, port=0, interface=interface, protocol=protocol)
    return shlex.join(["dask", "scheduler", *words])


def worker_command(file, threads, memory, interface=None, protocol=None):
    words = options(
        scheduler_file=file, nthreads=threads, nworkers=1, memory_limit=memory, interface=interface, protocol=protocol
    )
    return ("dask", "worker", *words)

# %% right text: Texts, with shlex.quote.
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

# %% wrong address_for_file: The file is handed on as an address.
# fails: The worker gets the scheduler file
# edit of the solution
# -     """Return the command line of a scheduler."""
#
# -     """Return the command line of a worker."""
# -     words = ["dask", "worker", "--scheduler-file", str(file), "--nworkers", "1"]
# +     words = ["dask", "worker", str(file), "--nworkers", "1"]

# %% wrong old_names: The commands with a hyphen.
# fails: The scheduler's command begins with dask scheduler
# edit of wrong address_for_file
# ~ dask", "scheduler => dask-scheduler
# ~ ", "worker => -worker", "--scheduler-file

# %% wrong memory_cut: The unit is cut off at the space.
# fails: The worker gets its memory
# edit of wrong address_for_file
# ~ "worker", str(file) => "worker", "--scheduler-file", str(file)
# -     words += ["--nthreads", str(threads), "--memory-limit", memory]
# +     words += ["--nthreads", str(threads), "--memory-limit", memory.split()[0]]

# %% wrong no_port: The scheduler takes its usual port.
# fails: The system chooses the scheduler's port
# edit of wrong address_for_file
# ~ "worker", str(file) => "worker", "--scheduler-file", str(file)
# -     words = ["dask", "scheduler", "--scheduler-file", str(file), "--port", "0"]
# +     words = ["dask", "scheduler", "--scheduler-file", str(file)]

# %% wrong no_quotes: A path or size with a space falls apart: nothing is quoted.
# fails: The worker gets its memory
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

# %% wrong none_as_text: --interface None.
# fails: The scheduler gets --interface where it is given, and only there
# edit of wrong no_port
# -     words = ["dask", "scheduler", "--scheduler-file", str(file)]
# -     if interface is not None:
# -         words += ["--interface", interface]
# +     words = ["dask", "scheduler", "--scheduler-file", str(file), "--port", "0"]
# +     words += ["--interface", str(interface)]
# -     if interface is not None:
# -         words += ["--interface", interface]
# +     words += ["--interface", str(interface)]

# %% wrong none_written: Writes --interface None and --protocol None where they are not given.
# fails: The scheduler gets --interface where it is given, and only there
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

# %% wrong threads_as_workers: Threads and processes are mixed up.
# fails: The worker gets its threads
# edit of wrong address_for_file
# ~ str(file), "--nworkers", "1" => "--scheduler-file", str(file), "--nworkers", str(threads)
# ~ ", str(threads), " => ", "1", "

# %% wrong protocol_ignored: The protocol is ignored.
# fails: The scheduler gets --protocol where it is given, and only there
def scheduler_command(file, interface=None, protocol=None):
    words = ["dask", "scheduler", "--scheduler-file", str(file), "--port", "0"]
    if interface is not None:
        words += ["--interface", interface]
    return words


def worker_command(file, threads, memory, interface=None, protocol=None):
    words = ["dask", "worker", "--scheduler-file", str(file), "--nworkers", "1"]
    words += ["--nthreads", str(threads), "--memory-limit", memory]
    if interface is not None:
        words += ["--interface", interface]
    return words

# %% wrong underscores: Options with underscores that do not exist.
# fails: dask worker takes the command
# edit of wrong address_for_file
# ~ "worker", str(file) => "worker", "--scheduler-file", str(file)
# ~ memory-limit => memory

# %% wrong worker_options: The worker ignores interface and protocol.
# fails: The worker gets --interface where it is given, and only there
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

# %% wrong worker_without_interface: Only the scheduler gets the interface.
# fails: The worker gets --interface where it is given, and only there
# edit of wrong memory_cut
# -     words += ["--nthreads", str(threads), "--memory-limit", memory.split()[0]]
# -     if interface is not None:
# -         words += ["--interface", interface]
# +     words += ["--nthreads", str(threads), "--memory-limit", memory]
