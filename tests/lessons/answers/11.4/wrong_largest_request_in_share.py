"""The share that the largest *request* leaves, growth included."""


def largest_request(free, pool_size, maximum):
    sizes = [size for _, size in free]
    largest = max([*sizes, maximum - pool_size])
    return largest, 1 - largest / sum(sizes) if sizes else 0.0
