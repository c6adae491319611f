"""Makes a table of sizes by name first, so a name that comes again with another size is counted with the last one."""


def statistics(events):
    sizes = {e[1]: e[2] for e in events if e[0] == "allocate"}
    cb = cc = pb = pc = tb = tc = 0
    for e in events:
        if e[0] == "allocate":
            cb += sizes[e[1]]
            cc += 1
            tb += sizes[e[1]]
            tc += 1
        else:
            cb -= sizes[e[1]]
            cc -= 1
        pb, pc = max(pb, cb), max(pc, cc)
    return {
        "current_bytes": cb,
        "current_count": cc,
        "peak_bytes": pb,
        "peak_count": pc,
        "total_bytes": tb,
        "total_count": tc,
    }
