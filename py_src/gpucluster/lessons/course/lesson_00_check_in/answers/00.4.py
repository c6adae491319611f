# %% right exit_stack
from contextlib import ExitStack


def borrow(start, job):
    with ExitStack() as stack:
        cluster = stack.enter_context(start())
        client = stack.enter_context(cluster.get_client())
        return job(client)

# %% right two_blocks
from distributed import Client


def borrow(start, job):
    with start() as cluster:
        with Client(cluster) as client:
            return job(client)

# %% wrong b_cluster_left, edit of the solution: Only the client is closed, and the cluster keeps running.
# fails: No worker or port is left after a job that succeeds
def borrow(start, job):
    with Client(start()) as client:
        return job(client)

# %% wrong b_error_swallowed, edit of the solution: The error of the job is printed and does not reach the caller.
# fails: The error of a job that fails reaches the caller
# -         return job(client)
# +         try:
# +             return job(client)
# +         except Exception as error:
# +             print("The job failed:", error)

# %% wrong b_exception_only, edit of the solution: Closes in the good case and after ValueError only, so other errors leave the cluster running.
# fails: No worker or port is left after a job that fails
def borrow(start, job):
    cluster = start()
    client = Client(cluster)
    try:
        result = job(client)
    except ValueError:
        client.close()
        cluster.close()
        raise
    client.close()
    cluster.close()
    return result

# %% wrong b_no_result, edit of the solution: Does not return what the job returns.
# fails: It returns a result
# ~ return job => job

# %% wrong b_two_clusters, edit of the solution: Calls start() twice, and one of the two clusters is left running.
# fails: start() is called once
# -     """Run job(client) on a cluster made by start(); return its result and leave nothing running."""
# +     start()

# %% wrong no_result, edit of wrong b_no_result
# fails: It returns what the job returned
# -         job(client)
# +         job(client)
# +     return "done"
