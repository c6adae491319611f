"""Figures of the lessons: one module per lesson, drawn from what the learner computed."""
