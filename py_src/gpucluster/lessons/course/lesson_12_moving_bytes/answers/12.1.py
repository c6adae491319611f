# %% right pairs
def crossings(steps, start):
    where = [start]
    for _, place, _ in steps:
        where.append(where[-1] if place == "any" else place)
    moved = [step[2] for step, before, after in zip(steps, where, where[1:], strict=False) if before != after]
    return [len(moved), sum(moved)]

# %% right recursion
def crossings(steps, start):
    if len(steps) == 0:
        return (0, 0)
    (_, place, size), *rest = steps
    now = start if place == "any" else place
    count, total = crossings(rest, now)
    if now != start:
        count += 1
        total += size
    return count, total

# %% wrong all_bytes, edit of the solution
# fails: It sums the bytes that cross
# ~ return count, total => return count, sum(size for _, _, size in steps)

# %% wrong any_is_a_place, edit of the solution
# fails: It counts every crossing
# ~ not in ("any", at) => != at

# %% wrong goes_back, edit of the solution
# fails: It counts every crossing
# ~ return count, total => return count + (at != start), total
