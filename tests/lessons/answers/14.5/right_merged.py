"""Merged busy times, subtracted."""


def merged(pairs, start, end):
    result = []
    for begin, stop in sorted((max(a, start), min(b, end)) for a, b in pairs):
        if begin >= stop:
            continue
        if result and begin <= result[-1][1]:
            result[-1][1] = max(result[-1][1], stop)
        else:
            result.append([begin, stop])
    return result


def node_hours(jobs, cores_on_node, gpus_on_node):
    charges, idles = [0], [0]
    for job in jobs:
        shares = [job["cores"] / cores_on_node] + ([job["gpus"] / gpus_on_node] if gpus_on_node > 0 else [])
        rate = job["nodes"] * max(shares)
        length = job["end"] - job["start"]
        busy = sum(stop - begin for begin, stop in merged(job["busy"], job["start"], job["end"]))
        charges.append(rate * length)
        idles.append(rate * (length - busy))
    return sum(charges), sum(idles)
