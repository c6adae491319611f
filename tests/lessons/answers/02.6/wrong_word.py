collections = {"a": "pandas", "b": "Bag", "c": "Array", "d": "Delayed", "e": "Futures"}
