"""Wrong: equal cards come in reversed order."""


def search(cards, query):
    words = query.lower().split()
    hits = [c for c in cards if words and all(w in (c["front"] + " " + c["back"]).lower() for w in words)]
    hits.sort(key=lambda c: sum(w in c["front"].lower() for w in words))
    return [c["id"] for c in hits[::-1]]
