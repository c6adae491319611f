"""Wrong: the order of the deck, cards with the words on the front do not come first."""


def search(cards, query):
    words = query.lower().split()
    return [c["id"] for c in cards if words and all(w in (c["front"] + " " + c["back"]).lower() for w in words)]
