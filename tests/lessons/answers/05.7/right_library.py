"""The library's encoder."""

from gpucluster.learn import OneHotEncoder


def one_hot(table, column):
    return OneHotEncoder().fit(table[[column]]).transform(table[[column]])
