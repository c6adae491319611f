"""Grouped by tool, and turned around with a comprehension."""

tools = {"pandas": "ab", "one device": "ci", "spill": "d", "Dask": "eghj", "Spark": "f"}
choices = {case: tool for tool, cases in tools.items() for case in cases}
