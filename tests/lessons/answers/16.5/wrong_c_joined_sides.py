"""Wrong: joins both sides without a space, so a word may begin on the front and end on the back."""


def search(cards, query):
    words = set(query.lower().split())
    if not words:
        return []
    found = [card for card in cards if all(word in (card["front"] + card["back"]).lower() for word in words)]
    found.sort(key=lambda card: -sum(word in card["front"].lower() for word in words))
    return [card["id"] for card in found]
