"""query on the columns, kept by the client, and waited for."""

from distributed import get_client, wait


def prepare(table):
    chosen = table[["carrier", "dep_delay", "distance"]].query("dep_delay > 120")
    kept = get_client().persist(chosen)
    wait(kept)
    return kept
