import re


def search(cards, query):
    patterns = [re.compile(re.escape(word), re.IGNORECASE) for word in dict.fromkeys(query.lower().split())]
    if not patterns:
        return []
    hits = [card for card in cards if all(p.search(card["front"]) or p.search(card["back"]) for p in patterns)]
    return [
        card["id"]
        for card in sorted(hits, key=lambda c: sum(bool(p.search(c["front"])) for p in patterns), reverse=True)
    ]
