"""Wrong: the query is searched as one piece."""


def search(cards, query):
    text = query.lower().strip()
    hits = [c for c in cards if text and text in (c["front"] + " " + c["back"]).lower()]
    return [c["id"] for c in sorted(hits, key=lambda c: text not in c["front"].lower())]
