"""Right: pandas, str.contains without patterns, a stable sort."""

import pandas as pd


def search(cards, query):
    words = list(dict.fromkeys(query.lower().split()))
    if not words or not cards:
        return []
    table = pd.DataFrame(
        [(c["id"], c["front"].lower(), c["back"].lower()) for c in cards], columns=["id", "front", "back"]
    )
    table["n"], good = 0, pd.Series(True, index=table.index)
    for word in words:
        front = table["front"].str.contains(word, regex=False)
        good &= front | table["back"].str.contains(word, regex=False)
        table["n"] += front.astype(int)
    return table[good].sort_values("n", ascending=False, kind="stable")["id"].tolist()
