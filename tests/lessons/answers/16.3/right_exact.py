"""Right: fractions, sorted by score, groupby of the top."""

from fractions import Fraction
from itertools import groupby


def _share(question, score):
    places = sorted(range(len(question["options"])), key=lambda i: score(question["options"][i]), reverse=True)
    _, group = next(groupby(places, key=lambda i: score(question["options"][i])))
    group = set(group)
    return Fraction(int(question["right"] in group), len(group)) - Fraction(1, len(places))


def habit_gain(questions, score):
    questions = list(questions)
    return float(sum(_share(q, score) for q in questions) / max(1, len(questions)))
