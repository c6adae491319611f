"""The number of the lesson's own evening."""


def bound(orders, cooks, knives):
    return 1.8
