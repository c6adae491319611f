def prefetched(load, numbers, depth):
    return iter([load(number) for number in numbers])
