import pandas as pd


def search(cards, query):
    table = pd.DataFrame(cards)
    words = pd.unique(pd.Series(query.lower().split(), dtype=object))
    if len(words) == 0:
        return []
    front = pd.DataFrame({w: table["front"].str.lower().str.contains(w, regex=False) for w in words})
    back = pd.DataFrame({w: table["back"].str.lower().str.contains(w, regex=False) for w in words})
    hit = (front | back).all(axis=1)
    table["n"] = front.sum(axis=1)
    return table[hit].sort_values("n", ascending=False, kind="stable")["id"].tolist()
