"""Wrong: front and back are joined without a space, so words are found across the border."""


def search(cards, query):
    words = query.lower().split()
    hits = [c for c in cards if words and all(w in (c["front"] + c["back"]).lower() for w in words)]
    return [c["id"] for c in sorted(hits, key=lambda c: -sum(w in c["front"].lower() for w in words))]
