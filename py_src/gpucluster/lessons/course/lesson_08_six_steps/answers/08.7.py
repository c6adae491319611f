# %% right b_predict: Labels by predict, and the mean of a comparison in the notebook.
import numpy as np
from gpucluster.lessons import as_numpy


def row_labels(model, X):
    return model.predict(X)


def share_wrong(labels, model, X):
    return float(np.mean(as_numpy(model.predict(X).compute()) != labels))

# %% right on_the_workers: The comparison runs on the workers; one number comes back.
# -     return float(np.mean(as_numpy(model.predict(X).compute()) != labels))
# +     given = da.from_array(labels, chunks=X.chunks[0])
# +     return (given != row_labels(model, X)).mean()
import dask.array as da

# %% wrong against_itself: Compares labels_ with itself.
# fails: share_wrong is the fraction of rows whose label differs from the model's, from 0 to 1
# ~ float(np.mean(as_numpy(model.predict(X).compute()) != labels)) => float((model.labels_ != labels).mean())

# %% wrong b_compares_counts: Compares how many rows have each label, which are right even when the rows are wrong.
# fails: share_wrong is the fraction of rows whose label differs from the model's, from 0 to 1
# -     return float(np.mean(as_numpy(model.predict(X).compute()) != labels))
# +     own = as_numpy(model.predict(X).compute())
# +     n = int(max(own.max(), labels.max())) + 1
# +     return float(np.abs(np.bincount(own, minlength=n) - np.bincount(labels, minlength=n)).sum() / 2 / len(own))

# %% wrong b_trusts_labels: Gives labels_ of the fit, which must not be trusted.
# fails: Each row has its own label, in the order of X
# ~ return model.predict(X) => return model.labels_
