"""Wrong: finds whole words only."""


def search(cards, query):
    words = query.lower().split()
    hits = [c for c in cards if words and set(words) <= set((c["front"] + " " + c["back"]).lower().split())]
    return [c["id"] for c in sorted(hits, key=lambda c: -sum(w in c["front"].lower().split() for w in words))]
