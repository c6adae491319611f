"""Wrong: a card with any of the words is found."""


def search(cards, query):
    words = set(query.lower().split())
    found = [card for card in cards if any(word in (card["front"] + " " + card["back"]).lower() for word in words)]
    found.sort(key=lambda card: -sum(word in card["front"].lower() for word in words))
    return [card["id"] for card in found]
