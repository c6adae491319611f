"""Right: pairs of how many are on the front and the place in the list, sorted."""


def search(cards, query):
    words = frozenset(query.casefold().split())
    if not words:
        return []
    found = []
    for place, card in enumerate(cards):
        front, back = card["front"].casefold(), card["back"].casefold()
        if all(word in front or word in back for word in words):
            found.append((-sum(word in front for word in words), place, card["id"]))
    return [name for *_, name in sorted(found)]
