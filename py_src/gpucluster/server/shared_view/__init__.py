"""The view of a cluster through a link: a page with gauges and some pages of Dask's dashboard.

These are the only addresses of the extension that do without Jupyter's login. They check a link's token instead,
show what ``protocol/links.py`` and ``shown.py`` name, and change nothing.
"""
