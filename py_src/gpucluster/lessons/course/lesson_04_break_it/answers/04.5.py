# %% right b_try_finally: Try, except and finally, one function that sets.
def set_number(dask_scheduler, number):
    before, dask_scheduler.allowed_failures = dask_scheduler.allowed_failures, number
    return before


def run_carefully(client, task, args, retries, allowed):
    before = client.run_on_scheduler(set_number, number=allowed)
    try:
        return client.submit(task, *args, retries=retries, pure=False).result()
    except Exception as error:
        return error
    finally:
        client.run_on_scheduler(set_number, number=before)

# %% right mapped: A map over one item.
def set_allowed(dask_scheduler, number):
    before, dask_scheduler.allowed_failures = dask_scheduler.allowed_failures, number
    return before


def run_carefully(client, task, args, retries, allowed):
    old = client.run_on_scheduler(set_allowed, number=allowed)
    outcome = None
    try:
        (future,) = client.map(lambda one: task(*one), [args], retries=retries, pure=False)
        outcome = future.result()
    except Exception as problem:
        outcome = problem
    client.run_on_scheduler(set_allowed, number=old)
    return outcome

# %% wrong b_back_to_three: Sets 3 at the end, not what was there before ("put the scheduler's setting back").
# fails: The scheduler's setting is restored, whatever happens
# ~ number=before => number=3

# %% wrong b_config_only, edit of the solution: Changes the notebook's configuration, which a running scheduler does not read ("let it end at most `allowed` workers").
# fails: By then it has killed 0 + 1 workers, and no more
# fails: By then it has killed 1 + 1 workers, and no more
# ~ client.run_on_scheduler(set_allowed, number=allowed) => dask.config.set({"distributed.scheduler.allowed-failures": allowed})
# ~ client.run_on_scheduler(set_allowed, number=before) => before.__exit__(None, None, None)
import dask

# %% wrong b_no_retries: The option `retries` is ignored.
# fails: A task that fails a few times succeeds with that many retries
# ~ args, retries=retries, pure=False => args, pure=False

# %% wrong b_one_more: Off by one, the task ends allowed + 2 workers ("it then ends `allowed + 1`").
# fails: By then it has killed 1 + 1 workers, and no more
# fails: By then it has killed 0 + 1 workers, and no more
# ~ run_on_scheduler(set_number, number=allowed) => run_on_scheduler(set_number, number=allowed + 1)

# %% wrong b_only_killed: Returns a KilledWorker only, other errors are raised ("return the exception if there is one").
# fails: With one retry fewer, its own error is returned
# ~ Exception as => KilledWorker as
from distributed.scheduler import KilledWorker

# %% wrong b_text_of_error: Returns the text of the exception, not the exception.
# fails: With one retry fewer, its own error is returned
# ~ return error => return repr(error)

# %% wrong retries_only: Believes that retries count dead workers.
# fails: A task that fails a few times succeeds with that many retries
# ~ retries=retries => retries=min(retries, allowed)
