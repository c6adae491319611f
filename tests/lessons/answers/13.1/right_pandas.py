import pandas as pd


def table(records):
    rows = [part for record in records for part in record["startstops"]]
    found = pd.DataFrame(rows)
    return found[found.action == "compute"].sort_values("start", ignore_index=True)


def idle_share(records, threads):
    work = table(records)
    return 1 - (work.stop - work.start).sum() / ((work.stop.max() - work.start.min()) * threads)


def longest_gap(records):
    work = table(records)
    before = work.stop.cummax().shift()
    gaps = (work.start - before).fillna(0).clip(lower=0)
    if gaps.max() == 0:
        return (0.0, 0.0)
    place = gaps.idxmax()
    return (before[place] - work.start[0], gaps[place])
