def inspect(client):
    return 2, 2, 8 * 2**30
