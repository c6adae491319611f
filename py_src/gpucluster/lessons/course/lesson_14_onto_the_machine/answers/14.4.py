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

# %% wrong address_for_file, edit of the solution: The file is handed on as an address.
# fails: The worker gets the scheduler file
# ~ "worker", "--scheduler-file", str(file) => "worker", str(file)

# %% wrong old_names, edit of the solution: The commands with a hyphen.
# fails: The scheduler's command begins with dask scheduler
# ~ dask", "scheduler => dask-scheduler
# ~ dask", "worker => dask-worker

# %% wrong memory_cut, edit of the solution: The unit is cut off at the space.
# fails: The worker gets its memory
# ~ memory] => memory.split()[0]]

# %% wrong no_port, edit of the solution: The scheduler takes its usual port.
# fails: The scheduler's port is left to the system
# ~ (file), "--port", "0" => (file)

# %% wrong no_quotes, edit of right text: A path or size with a space falls apart: nothing is quoted.
# fails: The worker gets its memory
# ~ 0 --scheduler-file {quote(str(file))} => 0 --scheduler-file {file}
# ~ quote(memory) => memory
# ~ quote(str(file)) => file

# %% wrong none_written: Writes --interface None and --protocol None where they are not given.
# fails: The scheduler gets --interface where it is given, and only there
# ~ () if value is not None => ()

# %% wrong threads_as_workers, edit of the solution: Threads and processes are mixed up.
# fails: The worker gets its threads
# ~ "1" => str(threads)
# ~ ", str(threads), " => ", "1", "

# %% wrong protocol_ignored: The protocol is ignored.
# fails: The scheduler gets --protocol where it is given, and only there
# ~ , protocol=protocol) => )
# ~ interface, protocol=protocol => interface

# %% wrong underscores, edit of the solution: Options with underscores that do not exist.
# fails: dask worker accepts the command
# ~ memory-limit => memory_limit

# %% wrong worker_options: The worker ignores interface and protocol.
# fails: The worker gets --interface where it is given, and only there
# ~ memory, interface=interface, protocol=protocol => memory
