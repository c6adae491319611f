"""One column of numbers instead of one column per category."""


def one_hot(table, column):
    known = table[[column]].categorize(columns=[column])
    return known.assign(code=known[column].cat.codes)[["code"]]
