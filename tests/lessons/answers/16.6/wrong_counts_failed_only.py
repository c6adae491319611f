def weak_topics(events, topics):
    checks, passed, solved, hint3, last = {}, set(), set(), set(), {}
    for event in events:
        kind = event["kind"]
        if kind == "check" and event["state"] != "not_yet":
            checks[event["exercise"]] = checks.get(event["exercise"], 0) + 3
            if event["state"] == "passed":
                passed.add(event["exercise"])
        elif kind == "hint" and event["number"] == 3:
            hint3.add(event["exercise"])
        elif kind == "solution":
            solved.add(event["exercise"])
        elif kind == "question":
            last[event["id"]] = 0 if event["right"] else 2
        elif kind == "exam":
            for name, right in event["answers"].items():
                last[name] = 0 if right else 2
        elif kind == "card":
            last[event["id"]] = 0 if event["known"] else 1
    table = []
    for name, things in topics.items():
        points = 0
        for thing in things:
            points += last.get(thing, 0)
            if thing in solved:
                points += 2
            if thing in checks and thing not in passed:
                points += 3
                if checks[thing] >= 3:
                    points += 1
            if thing in hint3 and thing not in solved and thing not in passed:
                points += 1
        if points >= 2:
            table.append((name, points))
    table.sort(key=lambda row: -row[1])
    return table[:3]
