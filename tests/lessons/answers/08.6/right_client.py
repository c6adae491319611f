"""The client's persist, and the blocks' sizes, which the workers tell."""

from distributed import get_client


def predict_rows(model, X, delayed=True):
    labels = model.predict(X)
    if not delayed:
        labels = get_client().persist(labels)
    return labels


def collect(array, limit):
    client = get_client()
    blocks = client.compute(list(array.to_delayed().ravel()))
    size = sum(client.gather(client.map(lambda block: block.nbytes, blocks)))
    if size > limit:
        raise MemoryError(f"{size} bytes are more than {limit}")
    return client.compute(array).result()
