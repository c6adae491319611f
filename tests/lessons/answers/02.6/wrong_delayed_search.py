collections = {"a": "DataFrame", "b": "Bag", "c": "Array", "d": "Delayed", "e": "Delayed"}
