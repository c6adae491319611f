def stretch(A, v):
    return (v @ A @ v) / (v @ v)


def solve_halves(L, b):
    return L @ L.T @ b


def products_from(R):
    return R.T @ R
