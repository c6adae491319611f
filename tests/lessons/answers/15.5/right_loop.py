from collections import defaultdict


def lift(chance, late, share):
    groups = defaultdict(list)
    for c, one in zip(chance.tolist(), late.tolist(), strict=True):
        groups[c].append(1 if one else 0)
    room = total = max(1, int(share * len(chance) + 1e-9))
    hits = 0.0
    for c in sorted(groups, reverse=True):
        taken = min(room, len(groups[c]))
        hits += taken * sum(groups[c]) / len(groups[c])
        room -= taken
        if not room:
            break
    everyone = [one for group in groups.values() for one in group]
    return hits / total / (sum(everyone) / len(everyone))
