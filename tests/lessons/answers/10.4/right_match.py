"""By cases."""


def verdict(losses, wanted):
    finite = all(abs(loss) < float("inf") for loss in losses)  # NaN is not smaller than anything
    match (finite and not losses[-1] > losses[0], any(loss <= wanted for loss in losses)):
        case (False, _):
            return "diverges"
        case (True, True):
            return "good"
        case _:
            return "slow"
