"""Wrong: capital and small letters differ."""


def search(cards, query):
    words = query.split()
    hits = [c for c in cards if words and all(w in c["front"] + " " + c["back"] for w in words)]
    return [c["id"] for c in sorted(hits, key=lambda c: -sum(w in c["front"] for w in words))]
