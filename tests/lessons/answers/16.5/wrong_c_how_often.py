"""Wrong: counts how often the words stand on the front, not how many of them."""


def search(cards, query):
    words = set(query.lower().split())
    if not words:
        return []
    found = [card for card in cards if all(word in (card["front"] + " " + card["back"]).lower() for word in words)]
    found.sort(key=lambda card: -sum(card["front"].lower().count(word) for word in words))
    return [card["id"] for card in found]
