# %% right run
import os


def worker_pids(client):
    return list(client.run(os.getpid).values())

# %% right b_psutil_sorted: Each worker names its own process through psutil; the list is sorted.
def me():
    import psutil

    return psutil.Process().pid


def worker_pids(client):
    return sorted(client.run(me).values())

# %% wrong b_many_tasks: One pid for each of ten tasks, so a worker appears many times and not once.
# fails: There is one process ID for each worker
# ~ list(client.run(os.getpid).values()) => client.gather(client.map(ask, range(10), pure=False))
def ask(number):
    return os.getpid()

# %% wrong b_notebook_calls: Calls os.getpid in the notebook, once for each worker, instead of on the workers.
# fails: No process ID occurs twice
# ~ list(client.run(os.getpid).values()) => [os.getpid() for _ in client.scheduler_info(n_workers=-1)["workers"]]

# %% wrong b_one_submit: One task goes to one worker, so the list has one pid and not those of all workers.
# fails: There is one process ID for each worker
# ~ list(client.run(os.getpid).values()) => [client.submit(os.getpid, pure=False).result()]

# %% wrong b_parents: Returns the pids of the processes that started the workers, not of the workers.
# fails: No process ID occurs twice
# ~ run(os.getpid).values => run(os.getppid).values

# %% wrong b_ports: Takes the port at the end of each address for the process number.
# fails: It runs without an error: ValueError
def worker_pids(client):
    return [int(address.rsplit(":", 1)[1]) for address in client.scheduler_info(n_workers=-1)["workers"]]

# %% wrong b_pure_submits: Without pure=False all calls are the same task, so one pid is repeated for all workers.
# fails: No process ID occurs twice
# -     return list(client.run(os.getpid).values())
# +     addresses = client.scheduler_info(n_workers=-1)["workers"]
# +     futures = [client.submit(os.getpid, workers=[address]) for address in addresses]
# +     return [future.result() for future in futures]

# %% wrong b_with_notebook: The notebook is in the list as well, although only workers were asked for.
# fails: There is one process ID for each worker
# ~ return list => return [os.getpid()] + list

# %% wrong dictionary
# fails: It returns a list of numbers
# ~ return list(client.run(os.getpid).values()) => return client.run(os.getpid)

# %% wrong scheduler
# fails: There is one process ID for each worker
# ~ list(client.run(os.getpid).values()) => [*client.run(os.getpid).values(), client.run_on_scheduler(os.getpid)]
