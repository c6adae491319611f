def train_each(client, X, y, train):
    return [train(X.blocks[place], y.blocks[place]) for place in range(X.numblocks[0])]
