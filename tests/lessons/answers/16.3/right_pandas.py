import pandas as pd


def habit_gain(questions, score):
    rows = [
        (number, score(option), place == question["right"])
        for number, question in enumerate(questions)
        for place, option in enumerate(question["options"])
    ]
    table = pd.DataFrame(rows, columns=["question", "value", "right"])
    best = table[table["value"] == table.groupby("question")["value"].transform("max")]
    hits = best.groupby("question")["right"].mean().mean()
    return hits - (1 / table.groupby("question").size()).mean()
