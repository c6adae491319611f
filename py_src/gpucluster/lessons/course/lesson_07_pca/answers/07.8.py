# %% right from_the_whole
import numpy as np


def stretch(A, v):
    return np.linalg.lstsq(v[:, None], A @ v, rcond=None)[0][0]


def solve_halves(L, b):
    return np.linalg.inv(L @ L.T) @ b


def products_from(R):
    return np.einsum("ki,kj->ij", R, R)

# %% right products
# ~ np.linalg.lstsq(v[:, None], A @ v, rcond=None)[0][0] => (v @ A @ v) / (v @ v)
# ~ inv(L @ L.T) @ b => solve(L.T, np.linalg.solve(L, b))
# ~ np.einsum("ki,kj->ij", R, R) => R.T @ R

# %% wrong b_by_length, edit of right products: Divides by the length and not by its square.
# fails: `stretch` finds a positive eigenvalue
# ~ return (v @ A @ v) / (v @ v) => return v @ A @ v / np.linalg.norm(v)

# %% wrong b_elementwise, edit of right products: Multiplies entry by entry, but a product of matrices is asked.
# fails: `products_from` gives XᵀX
# ~ return (v @ A @ v) / (v @ v) => return v @ A @ v / (v @ v)
# ~ return R.T @ R => return R.T * R

# %% wrong b_first_entry, edit of right products: Divides the first entries, which fails where v begins with 0 or a rounding error.
# fails: What `stretch` returns is a finite number
# ~ return (v @ A @ v) / (v @ v) => return (A @ v)[0] / v[0]

# %% wrong b_halves_exchanged, edit of right products: Solves Lᵀ L x = b, but L Lᵀ x = b is asked.
# fails: `solve_halves` solves L Lᵀ x = b
# ~ return (v @ A @ v) / (v @ v) => return v @ A @ v / (v @ v)
# ~ linalg.solve(L.T, np.linalg.solve(L, b)) => linalg.solve(L, np.linalg.solve(L.T, b))

# %% wrong b_lengths, edit of right products: Divides two lengths, so the sign is lost, but an eigenvalue 'may be negative'.
# fails: `stretch` finds a negative eigenvalue
# ~ return (v @ A @ v) / (v @ v) => return np.linalg.norm(A @ v) / np.linalg.norm(v)
