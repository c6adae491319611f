from gpucluster.lessons.study.certificate import level_of


def levels(objectives, exercises):
    return {text: level_of([exercises.get(number) for number in ids]) for text, ids in objectives.items()}
