def train_each(client, X, y, train):
    return [train(X.blocks[place].compute(), y.blocks[place].compute()) for place in range(X.numblocks[0])]
