import numpy as np
from gpucluster.learn import KMeans

# %% right b_sklearn_tools: scikit-learn's KMeans is only asked for the labels and the score of given centroids.
from sklearn.metrics import adjusted_rand_score
from sklearn.neighbors import NearestNeighbors


def fit_library(X, start):
    return KMeans(n_clusters=start.shape[0], init=start, n_init=1, random_state=0).fit(X)


def measured(points, centroids):
    points, centroids = np.ascontiguousarray(points, dtype=float), np.ascontiguousarray(centroids, dtype=float)
    tree = NearestNeighbors(n_neighbors=1, algorithm="kd_tree").fit(centroids)
    distance, label = tree.kneighbors(points)
    return float((distance**2).sum()), label.ravel()


def agreement(points, mine, library):
    (inertia, labels), (other_inertia, other_labels) = measured(points, mine), measured(points, library)
    return (inertia - other_inertia) / other_inertia, adjusted_rand_score(labels, other_labels)

# %% right array: Two numbers in an array.
# ~ n_clusters=start.shape[0], init=start, n_init=1, random_state=0 => len(start), init=start, n_init=1
# -     (inertia, labels), (other_inertia, other_labels) = measured(points, mine), measured(points, library)
# -     return (inertia - other_inertia) / other_inertia, adjusted_rand_score(labels, other_labels)
# +     ari = adjusted_rand_score(nearest(points, mine), nearest(points, library))
# +     return np.array([inertia(points, mine) / inertia(points, library) - 1, ari])
def nearest(points, centroids):
    return np.stack([((points - c) ** 2).sum(axis=1) for c in centroids], axis=1).argmin(axis=1)


def inertia(points, centroids):
    return ((points - centroids[nearest(points, centroids)]) ** 2).sum()

# %% right b_table_of_pairs: The adjusted Rand index by hand, from a table of how many points two groups share.
def fit_library(X, start):
    return KMeans(n_clusters=len(start), init=start, n_init=1).fit(X)


def nearest(points, centroids):
    best, labels = np.full(len(points), np.inf), np.zeros(len(points), dtype=int)
    for j, c in enumerate(centroids):
        squared = ((points - c) ** 2).sum(axis=1)
        labels[squared < best] = j
        best = np.minimum(best, squared)
    return labels, best.sum()


def agreement(points, mine, library):
    (a, first), (b, second) = nearest(points, mine), nearest(points, library)
    table = np.zeros((len(mine), len(library)))
    np.add.at(table, (a, b), 1)

    def pairs(counts):
        return float((counts * (counts - 1) / 2).sum())

    both, rows, columns = pairs(table), pairs(table.sum(axis=1)), pairs(table.sum(axis=0))
    expected = rows * columns / pairs(table.sum())
    largest = (rows + columns) / 2
    ari = 1.0 if largest == expected else (both - expected) / (largest - expected)
    return float((first - second) / second), ari

# %% right by_hand, edit of right array: Distances by hand.
# -     return np.array([inertia(points, mine) / inertia(points, library) - 1, ari])
# +     return inertia(points, mine) / inertia(points, library) - 1, ari

# %% right scores: With the library's own score and its labels.
from sklearn.metrics import adjusted_rand_score


def fit_library(X, start):
    model = KMeans(n_clusters=len(start), init=np.asarray(start), tol=0)
    model.fit(X)
    return model


def agreement(points, mine, library):
    fits = [KMeans(len(c), init=c, max_iter=1, tol=1e9).fit(c) for c in (mine, library)]
    for fit, centroids in zip(fits, (mine, library), strict=True):
        fit.cluster_centers_ = centroids
    one, other = (-fit.score(points) for fit in fits)
    return [(one - other) / other, adjusted_rand_score(*(fit.predict(points) for fit in fits))]

# %% wrong b_eight_always: The number of clusters is fixed to the 8 of the photo, but any start may be given.
# fails: It runs without an error: InvalidParameter
# ~ start.shape[0], init => 8, init

# %% wrong gathered, edit of right by_hand: All points come to the notebook.
# fails: The points stay on the workers
# ~ KMeans(len(start), init=start, n_init=1).fit(X) => KMeans(len(start), init=start).fit(X.compute())

# %% wrong not_fitted, edit of right by_hand: The model was not fitted.
# fails: It returns a fitted model with cluster_centers_
# ~ KMeans(len(start), init=start, n_init=1).fit(X) => KMeans(len(start), init=start)

# %% wrong one_iteration, edit of right by_hand: It stops much too early.
# fails: From the same start, the inertia is within 1 % of your loop's
# ~ start, n_init => start + 8, max_iter

# %% wrong one_iteration_from_the_start, edit of right by_hand: One iteration, from the right start.
# fails: From the same start, the inertia is within 1 % of your loop's
# ~ start, n_init=1 => start, max_iter=1

# %% wrong own_start, edit of right by_hand: The library chooses its own first centroids and finds a better minimum.
# fails: From the same start, the inertia is within 1 % of your loop's
# ~ init=start, n_init=1 => n_init=5, random_state=0

# %% wrong same_numbers, edit of right by_hand: Counts equal numbers of labels, though groups may be numbered in any order.
# fails: ari is the adjusted Rand index of the two groupings, whatever their labels
# -     ari = adjusted_rand_score(nearest(points, mine), nearest(points, library))
# +     ari = (nearest(points, mine) == nearest(points, library)).mean()

# %% wrong without_sign, edit of right by_hand: The sign is lost: better and worse look alike.
# fails: difference is (inertia of mine − inertia of library) / inertia of library, with its sign
# ~ inertia(points, mine) / inertia(points, library) - 1 => abs(inertia(points, mine) / inertia(points, library) - 1)
