# %% right b_try_except, edit of the solution: One try, and the error of a lost future.
# - def with_reload(client, data, task, reload):
# + from concurrent.futures import CancelledError
# +
# +
# + def with_reload(client, data, task, reload):

# %% right by_name: A helper, and the error by its full name.
from distributed.client import FutureCancelledError


def with_reload(client, data, task, reload):
    def attempt(data):
        return client.submit(task, data, pure=False).result(), data

    try:
        return attempt(data)
    except FutureCancelledError:
        pass
    return attempt(client.scatter(reload(), hash=False))


why = "c"

# %% right status: Looks at the future when something went wrong.
from distributed import CancelledError


def with_reload(client, data, task, reload):
    for attempt in range(2):
        future = client.submit(task, data, pure=False)
        try:
            return [future.result(), data]
        except CancelledError:
            if attempt:
                raise
            [data] = client.scatter([reload()], hash=False)
    return None


why = "C"

# %% wrong always_reloads, edit of the solution: Loads each time, lost or not.
# fails: While the data exists, it is not loaded again
def with_reload(client, data, task, reload):
    data = client.scatter(reload(), hash=False)
    return client.submit(task, data, pure=False).result(), data

# %% wrong b_error_returned: An error of the task is returned; "it must reach the caller".
# fails: Any error in the task itself is passed on
# -         data = client.scatter(reload(), hash=False)
# -         return client.submit(task, data, pure=False).result(), data
# +         data = client.scatter(reload(), hash=False)
# +         return client.submit(task, data, pure=False).result(), data
# +     except Exception as error:
# +         return error, data

# %% wrong b_no_scatter: Gives back the loaded data itself; asked is "scatter what it returns" and the future of the data.
# fails: The second is a future
# ~ data = client.scatter(reload(), hash=False) => data = reload()

# %% wrong old_future: Returns the future that was lost.
# fails: The future returned after the crash can be used again
# -         data = client.scatter(reload(), hash=False)
# -         return client.submit(task, data, pure=False).result(), data
# +         return client.submit(task, client.scatter(reload(), hash=False), pure=False).result(), data

# %% wrong b_reload_on_worker: Reload runs as a task on a worker, not "in the notebook".
# fails: After a crash of the worker that held it, the data is loaded once
# ~ data = client.scatter(reload(), hash=False) => data = client.submit(reload, pure=False)

# %% wrong b_runs_here: After a loss the task runs in the notebook, not "on the cluster".
# fails: It runs without an error: ValueError
# -         data = client.scatter(reload(), hash=False)
# -         return client.submit(task, data, pure=False).result(), data
# +         table = reload()
# +         return task(table), client.scatter(table, hash=False)

# %% wrong b_why_a: It is not a matter of time, no task makes the data (why).
# fails: The reason is right
# ~ why = "c" => why = "a"

# %% wrong c_only_value_errors: Passes on a ValueError only; any other error of the task counts as a loss.
# fails: An error in the task itself does not cause a reload
# -     except CancelledError:
# -         data = client.scatter(reload(), hash=False)
# +     except ValueError:
# +         raise
# +     except Exception:
# +         data = client.scatter(reload())
