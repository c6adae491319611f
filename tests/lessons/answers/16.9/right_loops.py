def levels(objectives, exercises):
    result = {}
    for text in objectives:
        worst = "alone" if objectives[text] else "not yet"
        for number in objectives[text]:
            if number not in exercises or exercises[number]["state"] in ("failed", "not_yet"):
                worst = "not yet"
            elif exercises[number]["solution_seen"]:
                worst = "after the solution" if worst != "not yet" else worst
            elif exercises[number]["hints"] > 0:
                worst = "with hints" if worst == "alone" else worst
        result[text] = worst
    return result
