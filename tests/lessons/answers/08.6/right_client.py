"""The client's persist, and a sum of the blocks' sizes, counted on the workers."""

import numpy as np
from distributed import get_client


def predict_rows(model, X, delayed=True):
    labels = model.predict(X)
    if not delayed:
        labels = get_client().persist(labels)
    return labels


def collect(array, limit):
    sizes = array.map_blocks(lambda block: np.full((1,) * block.ndim, block.nbytes), chunks=1, dtype=int)
    size = int(np.asarray(get_client().compute(sizes).result()).sum())
    if size > limit:
        raise MemoryError(f"{size} bytes are more than {limit}")
    return get_client().compute(array).result()
