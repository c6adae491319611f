def search(cards, query):
    words = set(query.lower().split())
    found = [
        card
        for card in cards
        if words and any(all(word in card[side].lower() for word in words) for side in ("front", "back"))
    ]
    found.sort(key=lambda card: -sum(word in card["front"].lower() for word in words))
    return [card["id"] for card in found]
