"""The lessons: a folder each, with all that its author writes.

``lesson.py`` is the source of its notebooks, ``checks*.py`` look at the answers of learners, ``figures*.py`` draw;
``quiz.json``, ``cards.json`` and ``parsons.json`` are what is asked. ``answers`` has right and wrong answers that prove
the checks; a wheel does not have them. `gpucluster.lessons.build` makes the rest.
"""
