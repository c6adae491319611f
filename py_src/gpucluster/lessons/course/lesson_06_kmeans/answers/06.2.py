import numpy as np

# %% right list_of_norms: One line: the lengths of the differences, centroid by centroid.
def assign(points, centroids):
    return np.argmin([np.linalg.norm(points - c, axis=1) for c in centroids], axis=0)

# %% right b_cdist: SciPy computes the n by k distances from differences, in float64.
from scipy.spatial.distance import cdist


def assign(points, centroids):
    return cdist(points, centroids, metric="sqeuclidean").argmin(axis=1)

# %% right library, edit of right b_cdist: scikit-learn's own function, which works in chunks.
# ~ scipy.spatial.distance import cdist => sklearn.metrics import pairwise_distances_argmin
# ~ cdist(points, centroids, metric="sqeuclidean").argmin(axis=1) => pairwise_distances_argmin(points, centroids)

# %% right plain_loop: The plain loop over the centroids, which makes a few arrays of n × d.
def assign(points, centroids):
    best, labels = np.full(len(points), np.inf), np.zeros(len(points), int)
    for number, c in enumerate(centroids):
        diff = points - c
        squared = np.sum(np.square(diff), axis=1) if number % 2 else (diff * diff).sum(axis=1)
        nearer = squared < best
        best[nearer], labels[nearer] = squared[nearer], number
    return labels

# %% right shifted: Products of shifted points, with an array of n × k for each step.
def assign(points, centroids):
    p, c = points - centroids[0], centroids - centroids[0]
    return ((c**2).sum(axis=1) - 2 * p @ c.T).argmin(axis=1)

# %% right tree, edit of right b_cdist: A tree of the centroids, from SciPy.
# ~ spatial.distance import cdist => spatial import KDTree
# ~ cdist(points, centroids, metric="sqeuclidean").argmin(axis=1) => KDTree(centroids).query(points)[1].astype("uint16")

# %% wrong axis: For each centroid the nearest point.
# fails: There is one label per point
def assign(points, centroids):
    return ((centroids**2).sum(axis=1) - 2 * points @ centroids.T).argmin(axis=0)

# %% wrong hard_coded: The answer for one sample.
# fails: Each point gets its nearest centroid
# ~ argmin([np.linalg.norm(points - c, axis=1) for c in centroids], axis=0) => arange(len(points)) % len(centroids)

# %% wrong b_city_block: Adds up absolute differences, which is not the distance of the text (squared differences).
# fails: Each point gets its nearest centroid
# ~ np.linalg.norm(points - c, axis=1) => np.abs(points - c).sum(axis=1)

# %% wrong b_from_one, edit of right plain_loop: Numbers the centroids from 1 to k, but 0 to k-1 is asked.
# fails: Labels run from 0 to k − 1
# ~ enumerate(centroids): => enumerate(centroids, start=1):

# %% wrong ends_the_measuring
# fails: Its memory can be measured
# -     return np.argmin([np.linalg.norm(points - c, axis=1) for c in centroids], axis=0)
# +     tracemalloc.stop()
# +     return ((points[:, None, :] - centroids[None, :, :]) ** 2).sum(axis=2).argmin(axis=1).astype(np.int64)
import tracemalloc

# %% wrong half_at_a_time: All differences of most of the points at once: nearly n × k × d.
# fails: Memory stays below half the size of an array of n × k × d numbers
# -     return np.argmin([np.linalg.norm(points - c, axis=1) for c in centroids], axis=0)
# +     cut = len(points) * 2 // 3
# +     halves = [((p[:, None] - centroids[None]) ** 2).sum(axis=2).argmin(axis=1) for p in (points[:cut], points[cut:])]
# +     return np.concatenate(halves)

# %% wrong single_precision: Distances in single precision, although the points have more digits.
# fails: float64 points are compared in float64, even for two almost equal centroids
# ~ points - c => np.float32(points) - np.float32(c)

# %% wrong n_by_k_by_d: Right labels, but an array of n × k × d numbers.
# fails: Memory stays below half the size of an array of n × k × d numbers
def assign(points, centroids):
    return ((points[:, None, :] - centroids[None, :, :]) ** 2).sum(axis=2).argmin(axis=1)
