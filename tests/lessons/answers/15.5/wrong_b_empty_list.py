"""Wrong: the list of few flights is empty and the lift nan, but it has at least one flight."""

import numpy as np


def lift(chance, late, share):
    n = int(share * len(chance))
    order = np.argsort(-chance, kind="stable")
    ordered, outcome = chance[order], late[order].astype(float)
    fair = np.array([outcome[ordered == one].mean() for one in ordered])
    return float(fair[:n].sum() / n / outcome.mean()) if n else float("nan")
