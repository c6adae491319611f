"""Subtracts the packed size of the files instead of the size that the results had in memory."""


def tiers(workers):
    result = {}
    for address, w in workers.items():
        m = w["metrics"]
        disk = m["spilled_bytes"]["disk"]
        result[address] = (m["managed_bytes"] - disk, disk)
    return result
