# %% right numpy: Arrays of sizes.
import numpy as np


def n_parameters(sizes):
    s = np.asarray(sizes, dtype=np.int64)
    return np.dot(s[:-1] + 1, s[1:])


def training_bytes(sizes, rows, copies=4, itemsize=4):
    return float(np.sum([copies * n_parameters(sizes), rows * np.sum(sizes)]) * itemsize)

# %% right recursion: Recursion over the sizes.
def n_parameters(sizes):
    if len(sizes) < 2:
        return 0
    return (sizes[0] + 1) * sizes[1] + n_parameters(sizes[1:])


def training_bytes(sizes, rows, copies=4, itemsize=4):
    def units(rest):
        return 0 if not len(rest) else rest[0] + units(rest[1:])

    return (copies * n_parameters(sizes) + rows * units(sizes)) * itemsize

# %% wrong batch_of_one, edit of the solution: The rows are forgotten.
# fails: The bytes include all copies of the parameters and the outputs of all layers
# ~ rows * sum(sizes) => sum(sizes)

# %% wrong bias_of_the_input, edit of the solution: The input has biases, the output none.
# fails: All weights and biases are counted
# ~ (n_in + 1) * n_out => n_in * (n_out + 1)

# %% wrong without_biases, edit of the solution: The biases are forgotten.
# fails: All weights and biases are counted
# ~ (n_in + 1) * n_out => n_in * n_out
