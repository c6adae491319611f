"""Wrong: one of the words is enough."""


def search(cards, query):
    words = query.lower().split()
    hits = [c for c in cards if any(w in (c["front"] + " " + c["back"]).lower() for w in words)]
    return [c["id"] for c in sorted(hits, key=lambda c: -sum(w in c["front"].lower() for w in words))]
