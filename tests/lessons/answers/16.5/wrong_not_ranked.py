def search(cards, query):
    words = set(query.lower().split())
    found = [
        card for card in cards if words and all(word in (card["front"] + "\n" + card["back"]).lower() for word in words)
    ]
    found.sort(key=lambda card: 0)
    return [card["id"] for card in found]
