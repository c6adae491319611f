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

# %% right means_of_statistics, edit of the solution: Means of the standard library.
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

# %% wrong changes_the_trace, edit of the solution
# fails: Inputs are not modified
# ~ """Return the word for the symptoms of a trace.""" => trace.copies[:] = 0

# %% wrong copies_above_40, edit of the solution: Copies of exactly 40 % are overlooked.
# fails: It detects 'copying'
# ~ mean() >= 40: => mean() > 40:

# %% wrong every_failure_is_fragmentation, edit of the solution
# fails: It detects 'waiting'
# ~ failed and trace.free_bytes >= trace.asked_bytes => failed

# %% wrong exact_fit_forgotten, edit of the solution
# fails: It detects 'fragmented'
# ~ free_bytes >= trace => free_bytes > trace

# %% wrong failed_not_looked_at, edit of the solution: Calls a job fragmented that did not fail, because no single piece was as large as it asked for.
# fails: It detects 'small kernels'
# ~ failed and trace.free_bytes >= trace.asked_bytes => free_bytes >= trace.asked_bytes > trace.largest_bytes

# %% wrong fix_pool_for_copies, edit of the solution
# fails: The fix for 'copying' is right
# ~ "copying": "stay", => "copying": "pool",

# %% wrong fix_prefetch, edit of the solution
# fails: The fix for 'fragmented' is right
# ~ "fragmented": "pool", => "fragmented": "prefetch",

# %% wrong fixes_swapped, edit of the solution
# fails: The fix for 'loading' is right
# ~ faster loader => prefetch
# ~ "waiting": "prefetch", => "waiting": "faster loader",

# %% wrong hard_coded, edit of right rules_in_a_table
# fails: It detects 'fragmented'
# ~ word for word, holds in RULES if holds(trace) => answers
answers = iter(["loading", "fragmented", "small kernels", "waiting", "copying"] * 100)

# %% wrong host_above_80, edit of the solution: A core that is exactly 80 % busy is not.
# fails: It detects 'loading'
# ~ mean() >= 80 else => mean() > 80 else

# %% wrong kernels_up_to_50, edit of the solution: Kernels in exactly half of the time are too few.
# fails: It detects 'healthy'
# ~ mean() < 50: => mean() <= 50:

# %% wrong loader_swapped, edit of the solution
# fails: It detects 'waiting'
# ~ loading" if trace.host.mean() >= 80 else "waiting => waiting" if trace.host.mean() >= 80 else "loading

# %% wrong lows, edit of the solution
# fails: It detects 'small kernels'
# ~ kernels.mean() => kernels.min()

# %% wrong occupancy_first, edit of the solution
# fails: It detects 'waiting'
# -         return "fragmented"
# +         return "fragmented"
# +     if trace.occupancy.mean() < 30:
# +         return "small kernels"

# %% wrong occupancy_up_to_30, edit of the solution: An occupancy of exactly 30 % is too low.
# fails: It detects 'healthy'
# ~ mean() < 30 else => mean() <= 30 else

# %% wrong rounded_means, edit of right means_of_statistics: Means are rounded: 39.98 % becomes 40 %.
# fails: It detects 'waiting'
# ~ fmean(one) => round(one.mean())
