"""One thread for each batch, started at the right moment."""

import threading


def prefetched(load, numbers, depth):
    numbers, under_way = iter(numbers), []

    def begin():
        for number in numbers:
            box = {}

            def work(number=number, box=box):
                try:
                    box["batch"] = load(number)
                except BaseException as error:
                    box["error"] = error

            thread = threading.Thread(target=work)
            thread.start()
            under_way.append((thread, box))
            return

    for _ in range(depth + 1):
        begin()
    while under_way:
        thread, box = under_way.pop(0)
        thread.join()
        if "error" in box:
            raise box["error"]
        yield box["batch"]
        begin()
