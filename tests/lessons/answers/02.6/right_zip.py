collections = dict(zip("abcde", ["DataFrame", "Bag", "Array", "Delayed", "Futures"], strict=True))
