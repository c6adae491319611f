"""Wrong: all words have to be on the same side."""


def search(cards, query):
    words = query.lower().split()
    hits = [c for c in cards if words and any(all(w in c[side].lower() for w in words) for side in ("front", "back"))]
    return [c["id"] for c in sorted(hits, key=lambda c: -sum(w in c["front"].lower() for w in words))]
