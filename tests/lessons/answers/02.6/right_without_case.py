collections = {"a": "dataframe", "b": "bag", "c": "Array", "d": "Delayed", "e": "FUTURES"}
