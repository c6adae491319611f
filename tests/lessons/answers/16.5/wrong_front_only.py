def search(cards, query):
    words = set(query.lower().split())
    found = [card for card in cards if words and all(word in card["front"].lower() for word in words)]
    found.sort(key=lambda card: -sum(word in card["front"].lower() for word in words))
    return [card["id"] for card in found]
