from collections import defaultdict


def weak_topics(events, topics):
    """The newest first, so that the first answer met is the last given."""
    home = {thing: name for name, things in topics.items() for thing in things}
    seen, points = set(), dict.fromkeys(topics, 0)
    work = defaultdict(list)
    for event in reversed(events):
        match event:
            case {"kind": "exam", "answers": answers}:
                asked = [(thing, 0 if right else 2) for thing, right in answers.items()]
            case {"kind": "question", "id": thing, "right": right}:
                asked = [(thing, 0 if right else 2)]
            case {"kind": "card", "id": thing, "known": known}:
                asked = [(thing, 0 if known else 1)]
            case _:
                asked = []
                work[event["exercise"]].append(event)
        for thing, lost in asked:
            if thing not in seen and thing in home:
                points[home[thing]] += lost
            seen.add(thing)
    for thing, done in work.items():
        if thing not in home:
            continue
        states = [event["state"] for event in done if event["kind"] == "check" and event["state"] != "not_yet"]
        read = any(event["kind"] == "solution" for event in done)
        ever = "passed" in states
        third = any(event.get("number") == 3 for event in done)
        points[home[thing]] += 2 * read + (third and not read and not ever)
        points[home[thing]] += (3 + (len(states) > 2)) if states and not ever else 0
    order = list(topics)
    rows = [[name, number] for name, number in points.items() if number > 1]
    return sorted(rows, key=lambda row: (-row[1], order.index(row[0])))[:3]
