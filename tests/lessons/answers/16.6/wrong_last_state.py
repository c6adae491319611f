"""Wrong: asks whether the last check has passed, not whether one ever did."""

from collections import Counter


def weak_topics(events, topics):
    tries, passed, solved, third, last, cards = Counter(), set(), set(), set(), {}, {}
    for event in events:
        kind = event["kind"]
        if kind == "check" and event["state"] != "not_yet":
            tries[event["exercise"]] += 1
            if event["state"] == "passed":
                passed.add(event["exercise"])
            else:
                passed.discard(event["exercise"])
        elif kind == "hint" and event["number"] == 3:
            third.add(event["exercise"])
        elif kind == "solution":
            solved.add(event["exercise"])
        elif kind == "question":
            last[event["id"]] = event["right"]
        elif kind == "exam":
            last.update(event["answers"])
        elif kind == "card":
            cards[event["id"]] = event["known"]

    def points(one):
        total = 0
        if one in tries and one not in passed:
            total += 3 + (tries[one] >= 3)
        if one in solved:
            total += 2
        elif one in third and one not in passed:
            total += 1
        total += 2 * (not last.get(one, True)) + (not cards.get(one, True))
        return total

    found = [(topic, sum(map(points, ids))) for topic, ids in topics.items()]
    return sorted((pair for pair in found if pair[1] >= 2), key=lambda pair: -pair[1])[:3]
