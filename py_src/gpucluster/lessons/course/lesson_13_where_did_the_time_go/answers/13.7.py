# %% right means_first
import numpy as np


def diagnose(trace):
    kernels, copies, host, occupancy = map(np.mean, (trace.kernels, trace.copies, trace.host, trace.occupancy))
    word = "healthy"
    if occupancy < 30:
        word = "small kernels"
    if kernels < 50:
        word = "waiting"
        if host >= 80:
            word = "loading"
    if copies >= 40:
        word = "copying"
    if trace.failed and trace.asked_bytes <= trace.free_bytes:
        word = "fragmented"
    return word


fixes = dict(
    zip(
        ["fragmented", "copying", "loading", "waiting", "small kernels"],
        ["pool", "stay", "faster loader", "prefetch", "larger batches"],
        strict=False,
    )
)

# %% right means_of_statistics: Means of the standard library.
# edit of the solution
# ~ trace.copies.mean() => copies
# ~ trace.kernels.mean() => kernels
# ~ trace.host.mean() => host
# ~ trace.occupancy.mean() => occupancy
# -     """Return the word for the symptoms of a trace."""
# +     kernels, copies, host, occupancy = (
# +         fmean(one) for one in (trace.kernels, trace.copies, trace.host, trace.occupancy)
# +     )
from statistics import fmean

# %% right rules_in_a_table: A list of rules; the first that holds.
RULES = [
    ("fragmented", lambda t: t.failed and not t.asked_bytes > t.free_bytes),
    ("copying", lambda t: sum(t.copies) / len(t.copies) >= 40),
    ("loading", lambda t: t.kernels.mean() < 50 and t.host.mean() >= 80),
    ("waiting", lambda t: t.kernels.mean() < 50),
    ("small kernels", lambda t: t.occupancy.mean() < 30),
    ("healthy", lambda t: True),
]


def diagnose(trace):
    return next(word for word, holds in RULES if holds(trace))


fixes = {
    "fragmented": "pool",
    "copying": "stay",
    "loading": "faster loader",
    "waiting": "prefetch",
    "small kernels": "larger batches",
}

# %% wrong changes_the_trace
# fails: Inputs are not modified
# edit of the solution
# ~ """Return the word for the symptoms of a trace.""" => trace.copies[:] = 0

# %% wrong copies_above_40: Copies of exactly 40 % are overlooked.
# fails: It finds out 'copying'
# edit of the solution
# ~ mean() >= 40: => mean() > 40:

# %% wrong every_failure_is_fragmentation
# fails: It finds out 'waiting'
# edit of the solution
# ~ failed and trace.free_bytes >= trace.asked_bytes => failed

# %% wrong exact_fit_forgotten
# fails: It finds out 'fragmented'
# edit of the solution
# ~ free_bytes >= trace => free_bytes > trace

# %% wrong failed_not_looked_at: Calls a job fragmented that did not fail, because no single piece was as large as it asked for.
# fails: It finds out 'small kernels'
# edit of the solution
# ~ failed and trace.free_bytes >= trace.asked_bytes => free_bytes >= trace.asked_bytes > trace.largest_bytes

# %% wrong fix_pool_for_copies
# fails: The fix for 'copying' is right
# edit of the solution
# ~ "copying": "stay", => "copying": "pool",

# %% wrong fix_prefetch
# fails: The fix for 'fragmented' is right
# edit of the solution
# ~ "fragmented": "pool", => "fragmented": "prefetch",

# %% wrong fixes_swapped
# fails: The fix for 'loading' is right
# edit of the solution
# ~ faster loader => prefetch
# ~ "waiting": "prefetch", => "waiting": "faster loader",

# %% wrong hard_coded
# fails: It finds out 'fragmented'
# edit of right rules_in_a_table
# ~ word for word, holds in RULES if holds(trace) => answers
answers = iter(["loading", "fragmented", "small kernels", "waiting", "copying"] * 100)

# %% wrong host_above_80: A core that is exactly 80 % busy is not.
# fails: It finds out 'loading'
# edit of the solution
# ~ mean() >= 80 else => mean() > 80 else

# %% wrong kernels_up_to_50: Kernels in exactly half of the time are too few.
# fails: It finds out 'healthy'
# edit of the solution
# ~ mean() < 50: => mean() <= 50:

# %% wrong loader_swapped
# fails: It finds out 'waiting'
# edit of the solution
# ~ loading" if trace.host.mean() >= 80 else "waiting => waiting" if trace.host.mean() >= 80 else "loading

# %% wrong lows
# fails: It finds out 'small kernels'
# edit of the solution
# ~ kernels.mean() => kernels.min()

# %% wrong occupancy_first
# fails: It finds out 'waiting'
# edit of the solution
# -         return "fragmented"
# +         return "fragmented"
# +     if trace.occupancy.mean() < 30:
# +         return "small kernels"

# %% wrong rounded_means: Means are rounded: 39.98 % becomes 40 %.
# fails: It finds out 'waiting'
# edit of right means_of_statistics
# ~ fmean(one) => round(one.mean())
