"""Wrong: does the substitution in b itself, which it is to leave as it was."""


def stretch(A, v):
    return v @ A @ v / (v @ v)


def solve_halves(L, b):
    d = len(b)
    for i in range(d):
        b[i] = (b[i] - L[i, :i] @ b[:i]) / L[i, i]
    for i in reversed(range(d)):
        b[i] = (b[i] - L[i + 1 :, i] @ b[i + 1 :]) / L[i, i]
    return b


def products_from(R):
    return R.T @ R
