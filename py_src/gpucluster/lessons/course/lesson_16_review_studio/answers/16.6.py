# %% right passes: One pass over the events into sets and dictionaries.
from collections import Counter


def weak_topics(events, topics):
    tries, passed, solved, third, last, cards = Counter(), set(), set(), set(), {}, {}
    for event in events:
        kind = event["kind"]
        if kind == "check" and event["state"] != "not_yet":
            tries[event["exercise"]] += 1
            if event["state"] == "passed":
                passed.add(event["exercise"])
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

# %% right kits_model: With the kit's own record of a learner.
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

# %% right per_item: Goes through all events again for each thing; picks the best topic three times.
def _of(one, events):
    states = [e["state"] for e in events if e["kind"] == "check" and e["exercise"] == one and e["state"] != "not_yet"]
    hints = [e["number"] for e in events if e["kind"] == "hint" and e["exercise"] == one]
    seen = any(e["kind"] == "solution" and e["exercise"] == one for e in events)
    yield 3 if states and "passed" not in states else 0
    yield 1 if len(states) > 2 and "passed" not in states else 0
    yield 2 if seen else 0
    yield 1 if 3 in hints and not seen and "passed" not in states else 0
    for e in reversed(events):
        if e["kind"] == "question" and e["id"] == one:
            yield 0 if e["right"] else 2
            break
        if e["kind"] == "exam" and one in e["answers"]:
            yield 0 if e["answers"][one] else 2
            break
    for e in reversed(events):
        if e["kind"] == "card" and e["id"] == one:
            yield 0 if e["known"] else 1
            break


def weak_topics(events, topics):
    events = list(events)
    left = {topic: sum(sum(_of(one, events)) for one in ids) for topic, ids in topics.items()}
    result = []
    while left and len(result) < 3:
        best = max(left, key=left.get)
        if left[best] < 2:
            break
        result.append((best, left.pop(best)))
    return result

# %% wrong all_topics_too: Returns more than three topics.
# fails: At most three topics are returned
# ~ [1])[:3] => [1])

# %% wrong any_hint_too: Each hint counts, not only the third.
# fails: Two hints give 0 points
# ~ event["number"] == 3: => event["number"] >= 1:

# %% wrong any_wrong: A question that was ever wrong costs points, although its last answer was right.
# fails: A wrong answer that was later right gives 0 points
# ~ event["right"] => event["right"] and last.get(event["id"], True)

# %% wrong counts_failed_only
# fails: A failed check gives 3 points
# ~ tries[event["exercise"]] += 1 => tries[event["exercise"]] += 3

# %% wrong empty_checks_count
# fails: Checks of empty answers do not count
# ~ "check" and event["state"] != "not_yet": => "check":

# %% wrong equal_ones_by_name
# fails: Most points first; ties in the order of `topics`
# ~ -pair[1] => (-pair[1], pair[0])

# %% wrong exams_left_out
# fails: Exam answers count like quiz answers
# ~ last.update(event["answers"]) => pass

# %% wrong failed_after_passing
# fails: An exercise that has passed once stays passed
# -                 passed.add(event["exercise"])
# +                 passed.add(event["exercise"])
# +             else:
# +                 passed.discard(event["exercise"])

# %% wrong four_times: One more point only after more than three checks.
# fails: Three failed checks give 4
# ~ 3 + (tries[one] >= 3) => 3 + (tries[one] > 3)

# %% wrong hint_after_pass: Hint 3 counts although the exercise has passed.
# fails: For random learners it follows the table
# ~ third and one not in passed => third

# %% wrong hint_and_solution: Hint 3 counts in addition to the solution.
# fails: With the solution read, the hints do not count again
# ~ elif one => if one

# %% wrong known_cards_lose
# fails: Each card not known when last turned gives 1 point
# ~ cards[event["id"]] = event["known"] => cards[event["id"]] = not event["known"]

# %% wrong more_than_two: Topics with exactly two points are left out.
# fails: A solution that was read gives 2 points, even if the exercise has passed
# ~ [1] >= 2 => [1] > 2

# %% wrong one_point_is_weak
# fails: One point is not weak
# ~ [1] >= 2 => [1] >= 1

# %% wrong solution_after_passing_is_free
# fails: A solution that was read gives 2 points, even if the exercise has passed
# -             total += 2
# +             total += 2 * (one not in passed)
