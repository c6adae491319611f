def airport_now(left, delay, asked, window=60.0):
    result = []
    for moment in asked:
        chosen = [d for when, d in zip(left, delay, strict=True) if moment - window < when <= moment]
        result.append(sum(chosen) / len(chosen) if chosen else 0)
    return result
