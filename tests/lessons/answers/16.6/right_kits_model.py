"""With the kit's own record of a learner."""

from datetime import UTC, datetime

from gpucluster.lessons.learner_progress import Progress
from gpucluster.lessons.learner_progress.events import EVENT
from gpucluster.lessons.learner_progress.recording import apply


def weak_topics(events, topics):
    own = Progress()
    for event in events:
        apply(own, EVENT.validate_python(event), datetime.now(UTC))

    def points(one):
        total = 0
        if (entry := own.exercises.get(one)) is not None:
            failed = entry.state == "failed"
            total += 3 * failed + (failed and entry.attempts >= 3) + 2 * entry.solution_seen
            total += entry.hints == 3 and not entry.solution_seen and entry.state != "passed"
        if one in own.questions:
            total += 0 if own.questions[one].last_right else 2
        if one in own.cards:
            total += own.cards[one].box == 1
        return total

    table = {name: sum(map(points, ids)) for name, ids in topics.items()}
    best = sorted(table, key=table.get, reverse=True)[:3]
    return [(name, table[name]) for name in best if table[name] >= 2]
