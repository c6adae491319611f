from concurrent.futures import ThreadPoolExecutor


def prefetched(load, numbers, depth):
    numbers = list(numbers)
    with ThreadPoolExecutor(1) as pool:
        for place, number in enumerate(numbers):
            for later in numbers[place + 1 : place + 1 + depth]:
                pool.submit(load, later)  # warms up, and throws away
            yield load(number)
