def cost(kind, options):
    if options is None:
        return 0
    return 1 / (options - 1) if kind == "choice" else 1 / (2**options - 2)


def fair_points(paper):
    return sum({"right": 1, "skipped": 0, "wrong": -cost(kind, n)}[what] for kind, n, what in paper)
