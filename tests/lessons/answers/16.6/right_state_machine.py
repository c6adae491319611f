"""Right: a small class for each thing, match on the events."""

from collections import defaultdict


class _Trace:
    def __init__(self):
        self.tried = 0
        self.ok = self.read = self.hinted = self.wrong = self.forgotten = False

    @property
    def score(self):
        score = 2 * self.read + 2 * self.wrong + self.forgotten
        if not self.ok:
            score += 3 * (self.tried > 0) + (self.tried >= 3) + (self.hinted and not self.read)
        return int(score)


def weak_topics(events, topics):
    traces = defaultdict(_Trace)
    for event in events:
        match event:
            case {"kind": "check", "exercise": one, "state": "passed" | "failed" as state}:
                traces[one].tried += 1
                traces[one].ok |= state == "passed"
            case {"kind": "hint", "exercise": one, "number": 3}:
                traces[one].hinted = True
            case {"kind": "solution", "exercise": one}:
                traces[one].read = True
            case {"kind": "question", "id": one, "right": right}:
                traces[one].wrong = not right
            case {"kind": "exam", "answers": answers}:
                for one, right in answers.items():
                    traces[one].wrong = not right
            case {"kind": "card", "id": one, "known": known}:
                traces[one].forgotten = not known
    sums = [(sum(traces[one].score for one in ids), -place, topic) for place, (topic, ids) in enumerate(topics.items())]
    return [(topic, total) for total, _, topic in sorted(sums, reverse=True) if total > 1][:3]
