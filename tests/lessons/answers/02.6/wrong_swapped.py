collections = {"a": "Bag", "b": "DataFrame", "c": "Array", "d": "Futures", "e": "Delayed"}
