collections = dict.fromkeys("abcde", "DataFrame")
