def search(cards, query):
    words = []
    for word in query.casefold().split():
        if word not in words:
            words.append(word)
    groups = {}
    for card in cards:
        front, back = card["front"].casefold(), card["back"].casefold()
        on_front = 0
        for word in words:
            if word in front:
                on_front += 1
            elif word not in back:
                break
        else:
            if words:
                groups.setdefault(on_front, []).append(card["id"])
    return [name for n in sorted(groups, reverse=True) for name in groups[n]]
