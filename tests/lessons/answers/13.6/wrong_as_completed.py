from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait


def prefetched(load, numbers, depth):
    """Whichever is done first: the order is lost."""
    numbers, pending = iter(numbers), set()
    with ThreadPoolExecutor(depth) as pool:
        while True:
            while len(pending) <= depth:
                try:
                    pending.add(pool.submit(load, next(numbers)))
                except StopIteration:
                    break
            if not pending:
                return
            done, _ = wait(pending, return_when=FIRST_COMPLETED)
            one = sorted(done, key=id)[-1]
            pending.remove(one)
            yield one.result()
