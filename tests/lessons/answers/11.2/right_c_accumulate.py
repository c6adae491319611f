"""Right: running totals of bytes and counts, then their last and largest."""

from itertools import accumulate


def statistics(events):
    alive, steps = {}, []
    for event in events:
        if event[0] == "allocate":
            alive[event[1]] = event[2]
            steps.append((event[2], 1))
        else:
            steps.append((-alive.pop(event[1]), -1))
    answer = {}
    for place, unit in enumerate(("bytes", "count")):
        course = list(accumulate((step[place] for step in steps), initial=0))
        answer[f"current_{unit}"] = course[-1]
        answer[f"peak_{unit}"] = max(course)
        answer[f"total_{unit}"] = sum(step[place] for step in steps if step[1] > 0)
    return answer
