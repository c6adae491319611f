from concurrent.futures import ThreadPoolExecutor


def prefetched(load, numbers, depth):
    with ThreadPoolExecutor(1) as pool:
        futures = [pool.submit(load, number) for number in numbers[: depth + 1]]
        for place in range(len(numbers)):
            yield futures[place].result()
            if place + depth + 1 < len(numbers):
                futures.append(pool.submit(load, numbers[place + depth + 1]))
