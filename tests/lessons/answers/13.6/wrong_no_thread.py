def prefetched(load, numbers, depth):
    for number in numbers:
        yield load(number)
