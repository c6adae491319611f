"""Wrong: sorts by how often words occur on the front, not by how many of them."""


def search(cards, query):
    words = query.lower().split()
    hits = [c for c in cards if words and all(w in (c["front"] + " " + c["back"]).lower() for w in words)]
    return [c["id"] for c in sorted(hits, key=lambda c: -sum(c["front"].lower().count(w) for w in words))]
