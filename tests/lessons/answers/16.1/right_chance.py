from fractions import Fraction


def chance(kind, options):
    match kind:
        case "choice":
            return Fraction(1, options)
        case "several":
            return Fraction(1, 2**options - 1)
    return Fraction(0)


def fair_points(paper):
    total = Fraction(0)
    for kind, options, outcome in paper:
        p = chance(kind, options)
        total += {"right": 1, "wrong": -p / (1 - p)}.get(outcome, 0)
    return total
