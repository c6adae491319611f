"""Right: the column is computed once and stays with the workers; categories and new columns come from there."""


def one_hot(table, column):
    column_of = table[column].persist()
    result = column_of.to_frame()
    for category in sorted(column_of.unique().compute()):
        result[f"{column}_{category}"] = column_of == category
    return result.drop(columns=column)
