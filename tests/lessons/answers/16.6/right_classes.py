from dataclasses import dataclass


@dataclass
class Thing:
    tries: int = 0
    passed: bool = False
    third: bool = False
    read: bool = False
    lost: int = 0

    def points(self):
        total = self.lost + (2 if self.read else 0)
        if not self.passed:
            total += 3 if self.tries else 0
            total += 1 if self.tries >= 3 else 0
            total += 1 if self.third and not self.read else 0
        return total


def weak_topics(events, topics):
    things = {}

    def of(name):
        return things.setdefault(name, Thing())

    for e in events:
        if e["kind"] == "check":
            one = of(e["exercise"])
            one.tries += e["state"] != "not_yet"
            one.passed |= e["state"] == "passed"
        elif e["kind"] == "hint":
            of(e["exercise"]).third |= e["number"] == 3
        elif e["kind"] == "solution":
            of(e["exercise"]).read = True
        elif e["kind"] == "question":
            of(e["id"]).lost = 2 * (not e["right"])
        elif e["kind"] == "exam":
            for name, right in e["answers"].items():
                of(name).lost = 2 * (not right)
        else:
            of(e["id"]).lost = int(not e["known"])
    rows = [(topic, sum(of(one).points() for one in ids)) for topic, ids in topics.items()]
    return tuple(sorted((r for r in rows if r[1] >= 2), key=lambda r: r[1], reverse=True)[:3])
