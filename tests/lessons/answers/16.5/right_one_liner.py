"""Right: sorted with a negative count."""


def search(cards, query):
    words = set(query.casefold().split())
    hits = [c for c in cards if words and all(w in f"{c['front']}\n{c['back']}".casefold() for w in words)]
    return [c["id"] for c in sorted(hits, key=lambda c: -sum(w in c["front"].casefold() for w in words))]
