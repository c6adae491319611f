import numpy as np
from gpucluster.lessons.material.pictures import load_photo
from sklearn.cluster import KMeans

# %% right b_colours_travel: The workers paint: three bytes per pixel travel, in delayed tasks.
import dask
from gpucluster.lessons import as_numpy


def assign(points, centroids):
    best = np.full(len(points), np.inf)
    labels = np.zeros(len(points), dtype=int)
    for number, centroid in enumerate(centroids):
        squared = ((points - centroid) ** 2).sum(axis=1)
        closer = squared < best
        labels[closer] = number
        best[closer] = squared[closer]
    return labels


def paint(block, centroids):
    here = np.asarray(centroids, like=block)
    colours = np.floor(here * 255 + 0.5).astype("uint8")
    return as_numpy(colours[assign(block, here)])


def recolour(client, parts, centroids):
    lazy = [dask.delayed(paint, pure=False)(part, centroids) for part in parts]
    return np.vstack(client.gather(client.compute(lazy)))


photo = load_photo()
pixels = photo.reshape(-1, 3) / 255
pictures = {}
for k in (4, 8, 16):
    model = KMeans(n_clusters=k, n_init=1, random_state=10, tol=0, max_iter=2000).fit(pixels)
    colours = np.rint(model.cluster_centers_ * 255).astype("uint8")
    pictures[k] = colours[model.labels_].reshape(photo.shape)

# %% right one_after_the_other: Labels, one block at a time.
def from_the_photo(k):
    """k-means on one point in fifty, then on all."""
    points = load_photo().reshape(-1, 3)
    model = KMeans(k, n_init=1, random_state=0).fit(points[::50])
    model = KMeans(k, init=model.cluster_centers_, n_init=1, max_iter=15).fit(points)
    return np.rint(model.cluster_centers_).astype(np.uint8)[model.labels_].reshape(load_photo().shape)


pictures = {k: from_the_photo(k) for k in (4, 8, 16)}


def nearest(block, centroids):
    return np.stack([((block - c) ** 2).sum(axis=1) for c in centroids], axis=1).argmin(axis=1)


def recolour(client, parts, centroids):
    labels = []
    for part in parts:
        future = client.submit(lambda block, c: nearest(block, c).astype("i1"), part, centroids)
        labels += future.result().tolist()
    return np.array([np.rint(centroids[j] * 255) for j in labels]).astype(np.uint8)

# %% wrong b_colours_not_pixels: Each different colour counts once, so it is not the k-means of the pixels of the photo.
# fails: Each colour of the picture for k = 4 is the mean of its pixels: k-means has converged
# ~ fit(pixels) => fit(np.unique(pixels, axis=0))
# ~ colours[model.labels_].reshape => colours[model.predict(pixels)].reshape

# %% wrong b_cut_off: Cuts off the digits when it makes whole numbers, but 'rounded' is asked.
# fails: Colours are rounded to the nearest integer, not truncated
# ~ colours = np.floor(here * 255 + 0.5).astype => colours = (here * 255).astype
# ~ colours = np.rint(model.cluster_centers_ * 255) => colours = (model.cluster_centers_ * 255)

# %% wrong b_eight_bytes: Labels of 8 bytes travel for each pixel, but 3 are allowed.
# fails: At most 3 bytes per pixel leave the workers (a label fits into one)
# ~ colours[assign(block, here)] => assign(block, here)
# -     return np.vstack(client.gather(client.compute(lazy)))
# +     labels = np.concatenate(client.gather(client.compute(lazy)))
# +     return np.floor(np.asarray(centroids) * 255 + 0.5).astype("uint8")[labels]

# %% wrong b_few_iterations: One iteration only, but the k-means must have converged.
# fails: Each colour of the picture for k = 4 is the mean of its pixels: k-means has converged
# ~ max_iter=2000 => max_iter=1

# %% wrong b_flat_pictures: The pictures have one row per pixel, but 'in the shape of the photo' is asked.
# fails: Each picture is an array of height × width × 3 8-bit numbers
# ~ colours[model.labels_].reshape(photo.shape) => colours[model.labels_]

# %% wrong b_floats: Returns numbers from 0 to 1, but uint8 numbers from 0 to 255 are asked.
# fails: Colours are 8-bit numbers from 0 to 255
# ~ np.floor(here * 255 + 0.5).astype("uint8") => here
# ~ np.rint(model.cluster_centers_ * 255).astype("uint8") => model.cluster_centers_

# %% wrong b_labels_only: Returns the label of each pixel and not its colour.
# fails: There is one colour (red, green, blue) per pixel
# ~ colours[assign(block, here)] => assign(block, here).astype("uint8")
# ~ return np.vstack(client.gather(client.compute(lazy))) => return np.concatenate(client.gather(client.compute(lazy)))

# %% wrong b_loose_tolerance: Stops while the centroids still move, but 'its centroids no longer move' is asked.
# fails: Each colour of the picture for k = 8 is the mean of its pixels: k-means has converged
# ~ tol=0 => tol=0.5

# %% wrong b_two_pictures: Range(4, 16, 4) makes 4, 8 and 12, but 4, 8 and 16 are asked.
# fails: It has the pictures for k = 4, 8 and 16
# ~ in (4, 8, 16) => in range(4, 16, 4)

# %% wrong b_width_height: Width and height are exchanged, which is not 'the shape of the photo'.
# fails: Each picture has the shape of the photo
# ~ reshape(photo.shape) => reshape(photo.shape[1], photo.shape[0], 3)

# %% wrong made_up_pictures, edit of right one_after_the_other: Pictures with the right number of colours, of nothing.
# fails: In the picture for k = 4, each pixel of the photo has the nearest of the 4 colours
pictures = {k: np.resize(np.arange(k * 3, dtype=np.uint8).reshape(k, 3), (427, 640, 3)) for k in (4, 8, 16)}


def recolour(client, parts, centroids):
    labels = client.gather(client.map(lambda block, c: nearest(block, c).astype("u1"), parts, c=centroids))
    return (centroids * 255).round().astype(np.uint8)[np.concatenate(labels)]

# %% wrong order, edit of wrong made_up_pictures: The blocks in the wrong order.
# fails: Each pixel has the colour of its nearest centroid, in the order of the photo
# ~ lambda block, c: nearest(block, c).astype("u1"), parts, c => nearest, parts[::-1], centroids
pictures = {k: np.resize(np.arange(k * 3, dtype=np.uint8).reshape(k, 3), (8, 10, 3)) for k in (4, 8, 16)}

# %% wrong too_many_colours, edit of right one_after_the_other: The picture for k = 8 has sixteen.
# fails: The picture for k = 8 has exactly 8 distinct colours
# - pictures = {k: from_the_photo(k) for k in (4, 8, 16)}
# + pictures = {k: from_the_photo(k) for k in (4, 8, 16)}
# + pictures[8] = pictures[16]
