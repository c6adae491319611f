# %% right bits: Shifts and masks.
def pool_size(card_mib, n_processes, context_mb=500):
    room = (card_mib << 20) * 9 // 10 - n_processes * context_mb * 1_000_000
    return room & ~255 if room > 0 else 0

# %% right floats: Floats, and a number with a point as result.
def pool_size(card_mib, n_processes, context_mb=500):
    room = card_mib * 2.0**20 * 0.9 - n_processes * context_mb * 1e6
    return float(max(room - room % 256, 0))

# %% right numpy: NumPy's integers.
import numpy as np


def pool_size(card_mib, n_processes, context_mb=500):
    room = np.int64(card_mib) * 1024**2 * 9 // 10 - np.int64(n_processes) * context_mb * 1000**2
    return np.maximum(room // 256 * 256, 0)

# %% wrong always_500: Ignores context_mb: each context has 500 MB.
# fails: A tenth of the device and all contexts stay free
def pool_size(card_mib, n_processes, context_mb=500):
    left = card_mib * 2**20 * 9 // 10 - n_processes * 500_000_000
    return max(0, left // 256 * 256)

# %% wrong card_in_mb: MiB taken for MB.
# fails: 256 bytes more would be too many
def pool_size(card_mib, n_processes, context_mb=500):
    room = card_mib * 1000**2 * 9 // 10 - n_processes * context_mb * 1000**2
    return max(0, room // 256 * 256)

# %% wrong hard_coded: Thirty GB, as on the slide.
# fails: A tenth of the device and all contexts stay free
def pool_size(card_mib, n_processes, context_mb=500):
    return 30_000_000_000 // 256 * 256

# %% wrong in_mib: The result in MiB instead of bytes.
# fails: It is a multiple of 256 bytes
def pool_size(card_mib, n_processes, context_mb=500):
    return max(0, (card_mib * 1024**2 * 9 // 10 - n_processes * context_mb * 1000**2) // 1024**2)

# %% wrong negative: Less than nothing on a small card.
# fails: If nothing is left for a pool, it is 0
def pool_size(card_mib, n_processes, context_mb=500):
    room = card_mib * 1024**2 * 9 // 10 - n_processes * context_mb * 1000**2
    return room // 256 * 256

# %% wrong no_tenth: Leaves the contexts, but no tenth.
# fails: A tenth of the device and all contexts stay free
def pool_size(card_mib, n_processes, context_mb=500):
    room = card_mib * 1024**2 - n_processes * context_mb * 1000**2
    return max(0, room // 256 * 256)

# %% wrong not_rounded: No multiple of 256.
# fails: It is a multiple of 256 bytes
def pool_size(card_mib, n_processes, context_mb=500):
    return max(0, card_mib * 1024**2 * 9 // 10 - n_processes * context_mb * 1000**2)
