# %% right iterator: An iterator that skips a value.
def repair(command, scheduler):
    _, *words = command.split()
    words_left = iter(words)
    kept = []
    for word in words_left:
        if word.endswith("able-jit-unspill"):
            pass
        elif "--rmm-async" in words and word == "--rmm-pool-size":
            next(words_left)
        elif "--rmm-async" in words and word.startswith("--rmm-pool-size="):
            pass
        else:
            kept.append(word)
    return f"dask cuda worker {scheduler} {' '.join(kept)}".strip()

# %% right regular_expressions: Regular expressions with care for what is around a name.
import re


def repair(command, scheduler):
    command = re.sub(r"^dask-cuda-worker", f"dask cuda worker {scheduler}", command)
    command = re.sub(r" --(en|dis)able-jit-unspill(?=\s|$)", "", command)
    if re.search(r"(?<=\s)--rmm-async(?=\s|$)", command):
        command = re.sub(r" --rmm-pool-size[ =]\S+", "", command)
    return command

# %% wrong address_at_the_end, edit of right regular_expressions: Puts the address at the end, behind the options and the &, instead of after the command.
# fails: dask-cuda 26.10 accepts the command
def repair(command, scheduler):
    new = command.replace("dask-cuda-worker", "dask cuda worker")
    new = re.sub(r"\s--(enable|disable)-jit-unspill(?!\S)", "", new)
    if "--rmm-async" in new.split():
        new = re.sub(r"\s--rmm-pool-size(=|\s+)\S+", "", new)
    return new + " " + scheduler

# %% wrong async_anywhere, edit of the solution: Looks for the letters in the whole text: a worker may have that name.
# fails: All other options are kept, with their values
# ~ "--rmm-async" in command.split() => "rmm-async" in command
# ~ pop(0)  # its value => pop(0)

# %% wrong both_kept, edit of wrong async_anywhere: Keeps both allocators.
# fails: dask-cuda 26.10 accepts the command
# -         if name == "--rmm-pool-size" and "rmm-async" in command:
# -             if "=" not in word:
# -                 old.pop(0)
# -             continue

# %% wrong background_lost, edit of the solution: The & at the end is lost.
# fails: An & at the end is kept
# ~ join(new) => join(new).rstrip("&").strip()

# %% wrong drops_async: Keeps the pool, and leaves out --rmm-async.
# fails: All other options are kept, with their values
def repair(command, scheduler):
    words = [word for word in command.split()[1:] if not word.endswith("jit-unspill") and word != "--rmm-async"]
    return " ".join(["dask cuda worker", scheduler, *words])

# %% wrong hard_coded: The lesson's own line.
# fails: All other options are kept, with their values
def repair(command, scheduler):
    return f"dask cuda worker {scheduler} --protocol ucx --rmm-async"

# %% wrong no_scheduler, edit of the solution: The address is still missing.
# fails: dask-cuda 26.10 accepts the command
# ~ new = ["dask", "cuda", "worker", scheduler] => new = ["dask", "cuda", "worker"]

# %% wrong only_known: Keeps only the options that the lesson speaks of.
# fails: dask-cuda 26.10 accepts the command
def repair(command, scheduler):
    words = command.split()
    kept = [word for word in words if word.startswith(("--protocol", "--rmm", "--enable-cudf"))]
    return " ".join(["dask cuda worker", scheduler, *kept])

# %% wrong sorted, edit of the solution: Sorts the options.
# fails: The order of the options is unchanged
# ~ " ".join(new) => " ".join([*new[:4], *sorted(new[4:])])
