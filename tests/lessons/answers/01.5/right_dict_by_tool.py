tools = {"pandas": "ab", "one device": "ci", "spill": "d", "Dask": "eghj", "Spark": "f"}
choices = {case: tool for tool, cases in tools.items() for case in cases}
