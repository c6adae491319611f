"""A word that stands twice in the query counts twice."""


def search(cards, query):
    words = [word for word in query.lower().split(" ") if word]
    if len(words) == 0:
        return []
    buckets = {n: [] for n in range(len(words) + 1)}
    for card in cards:
        front, back = card["front"].lower(), card["back"].lower()
        on_front, fits = 0, True
        for word in words:
            if word in front:
                on_front += 1
            elif word not in back:
                fits = False
        if fits:
            buckets[on_front].append(card["id"])
    return [one for n in range(len(words), -1, -1) for one in buckets[n]]
