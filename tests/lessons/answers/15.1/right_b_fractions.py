"""Right: keyword arguments, and numbers that are calculated."""

HALF_AN_HOUR, AN_HOUR = 60 / 2, 60.0
charter = dict(
    task="classification",
    late_from=HALF_AN_HOUR,
    decide_before=AN_HOUR,
    share=1 / 10,
    figure="lift",
    at_least=3.0,
    worst_month=5 / 2,
)
questions = {
    "classification": ["late or not", "which of five causes"],
    "regression": ["minutes of delay"],
    "clustering": ["kinds of weather", "groups of airports"],
    "no model": ["how many flights were cancelled"],
}
tasks = {question: kind for kind, of_kind in questions.items() for question in of_kind}
