"""The documentation as a site: ``make docs``.

Pages are the Markdown files that one reads on GitHub, too. `staging` lays them out for Sphinx, adds what is generated
(lessons with their outputs, Python reference), and `proof` reads the pages that came out of it.
"""
