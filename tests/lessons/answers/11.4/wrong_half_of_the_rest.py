"""The pool grows by half of what is left: but also by more, if more is asked for."""


def largest_request(free, pool_size, maximum):
    sizes = [size for _, size in free]
    fragmentation = 1 - max(sizes) / sum(sizes) if sizes else 0.0
    return max(max(sizes, default=0), (maximum - pool_size) // 2), fragmentation
