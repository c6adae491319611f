# %% right between_events: Style: the time between two events goes to the top of the stack; "other" is the bottom of the stack.
from collections import Counter
from itertools import pairwise


def breakdown(events, total):
    own = Counter(other=0.0)
    stack = []
    seen = 0.0
    for (stage, what, at), (_, _, later) in pairwise(events):
        if what == "begin":
            stack.append(stage)
        else:
            stack.pop()
        if stack:
            own[stack[-1]] += later - at
            seen += later - at
        for each in stack:
            own[each] += 0.0
    own["other"] = total - seen
    return dict(own)

# %% right recursion: A function that reads one stage and those inside it.
def breakdown(events, total):
    own, left = {}, list(events)

    def read():
        name, _, begin = left.pop(0)
        own.setdefault(name, 0.0)
        inside = 0.0
        while left[0][1] == "begin":
            inside += read()
        _, _, end = left.pop(0)
        own[name] += end - begin - inside
        return end - begin

    covered = 0.0
    while left:
        covered += read()
    own["other"] = total - covered
    return own

# %% right subtract_from_parent: Give each stage its whole time, and take it from the one around it.
from collections import defaultdict


def breakdown(events, total):
    seconds = defaultdict(float)
    seconds["other"] = total
    stack = [("other", None)]
    for stage, what, at in events:
        if what == "begin":
            stack.append((stage, at))
            continue
        name, begin = stack.pop()
        seconds[name] += at - begin
        seconds[stack[-1][0]] -= at - begin
    return dict(seconds)

# %% wrong float32, edit of right subtract_from_parent: Keeps the clock in float32: a clock that has run for days has steps of hundredths of a second there.
# fails: The seconds of stages that follow each other are their own, of all their times
# -     for stage, what, at in events:
# +     for stage, what, at in events:
# +         at = float(np.float32(at))
import numpy as np

# %% wrong grandchildren_twice, edit of right subtract_from_parent: Takes the time of a stage off all stages around it, not only off the next one: wrong where three are nested.
# fails: The parts add up to the total
# -         seconds[stack[-1][0]] -= at - begin
# +         for around, _ in stack[1:] or stack:
# +             seconds[around] -= at - begin

# %% wrong hard_coded
# fails: It contains each stage, and "other"
def breakdown(events, total):
    return {"load": 0.005, "unpack": 0.114, "forward": 0.262, "backward": 0.267, "optimizer": 0.003, "other": 0.006}

# %% wrong inner_time_counted_twice, edit of right subtract_from_parent: The time of an inner stage is counted in the outer one as well; the parts are more than the whole, and "other" too small.
# fails: "other" is the time outside all stages
# ~ stack[-1][0] => "other"

# %% wrong last_time_only_too, edit of right recursion: A stage that comes many times is overwritten, not added up.
# fails: The parts add up to the total
# ~ own[name] += end - begin => own[name] = end - begin

# %% wrong milliseconds, edit of the solution
# fails: The parts add up to the total
# -     return {**seconds, "other": total - sum(seconds.values())}
# +     seconds["other"] = total - sum(seconds.values())
# +     return {name: 1000 * value for name, value in seconds.items()}

# %% wrong other_at_the_ends_only, edit of right recursion: "other" is total minus the time from the first to the last event: the time between stages is forgotten.
# fails: The parts add up to the total
# ~ - covered => - (events[-1][2] - events[0][2]) if events else total

# %% wrong outer_gets_it, edit of the solution
# fails: The seconds of stages that lie inside each other are their own, of all their times
# ~ [-1]] += at - before  # until now, the innermost stage ran => [0]] += at - before
