"""Making everything that a lesson consists of from its one source, ``course/<lesson>/lesson.py``.

The result depends on nothing but the source: what is in the repository can be proved to be up to date.
"""
