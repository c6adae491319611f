import copy
from pathlib import Path

# %% right b_joblib: The plain scikit-learn model, written with joblib.
import joblib


def keep(model, path):
    joblib.dump(model.get_combined_model(), path)


def bring_back(path):
    return joblib.load(path)

# %% right save: The two functions of the library.
# ~ import joblib => from gpucluster import learn
# ~ joblib.dump(model.get_combined_model(), path) => return learn.save(model, path)
# ~ return joblib.load => return learn.load

# %% right zip: Numbers only, in a compressed file of NumPy; a custom class predicts.
import numpy as np


class Groups:
    def __init__(self, centres):
        self.centres = centres

    def predict(self, X):
        return np.stack([((X - c) ** 2).sum(axis=1) for c in self.centres], axis=1).argmin(axis=1)


class Line:
    def __init__(self, slope, start):
        self.slope, self.start = slope, start

    def predict(self, X):
        return X @ self.slope + self.start


def keep(model, path):
    plain = model.get_combined_model()
    names = ("cluster_centers_",) if hasattr(plain, "cluster_centers_") else ("coef_", "intercept_")
    with open(path, "wb") as file:
        np.savez_compressed(file, *(np.asarray(getattr(plain, name)) for name in names))


def bring_back(path):
    with np.load(path) as file:
        arrays = [file[name] for name in sorted(file.files)]
    return Groups(*arrays) if len(arrays) == 1 else Line(*arrays)

# %% wrong another_file: The file has the name of another one, which has the model.
# fails: The file holds the whole model: a copy of only this file, in another folder, gives the same model
# ~ joblib.load(path) => learn.load(Path(path).read_text())
# -     joblib.dump(model.get_combined_model(), path)
# +     learn.save(model, path + ".real")
# +     Path(path).write_text(path + ".real")
from gpucluster import learn

# %% wrong b_lazy_answer: What comes back predicts lazily for Dask arrays, not for rows in memory.
# fails: For rows in memory it returns numbers immediately
# ~ joblib.load(path) => Lazy(joblib.load(path))
import dask.array as da


class Lazy:
    def __init__(self, model):
        self.model = model

    def predict(self, rows):
        return da.asarray(rows).map_blocks(self.model.predict, drop_axis=1, dtype="int32")

# %% wrong b_not_fitted: Only the parameters are written, so what comes back is not fitted and cannot predict.
# fails: It runs without an error: NotFittedError
# ~ model.get_combined_model() => clone(model.get_combined_model())
from sklearn.base import clone

# %% wrong b_other_name: Writes to a file with another name (.joblib added), so the file that was asked for is not there.
# fails: There is a file at the path that was given
# ~ dump(model.get_combined_model(), path) => dump(model.get_combined_model(), f"{path}.joblib")
# ~ load(path) => load(f"{path}.joblib")

# %% wrong c_predicts_on_a_worker, edit of wrong b_lazy_answer: What comes back sends the rows to a worker and predicts there.
# fails: It predicts in memory, without the cluster
# ~ Lazy( => Remote(
# ~ import dask.array as da => from distributed import get_client
# ~ Lazy => Remote
# ~ da.asarray(rows).map_blocks(self.model.predict, drop_axis=1, dtype="int32" => get_client().submit(self.model.predict, rows, pure=False).result(

# %% wrong no_return, edit of right save: Reads the file and returns nothing.
# fails: It returns a result
# ~ return learn.save => learn.save
# ~ return learn => learn

# %% wrong number_in_the_file: The file says which model of a global list it is.
# fails: The file holds the whole model: if it is overwritten with zeros, nothing can be loaded
# -     joblib.dump(model.get_combined_model(), path)
# +     KEPT.append(model)
# +     Path(path).write_text(str(len(KEPT) - 1))
# -     return joblib.load(path)
# +     text = Path(path).read_text()
# +     return copy.deepcopy(KEPT[int(text) if text.isdigit() else -1])
KEPT = []

# %% wrong one_byte: One byte in the file, the model in a global.
# fails: The file holds the whole model: a copy of only this file, in another folder, gives the same model
# ~ joblib.load(path) => copy.deepcopy(KEPT[path])
# -     joblib.dump(model.get_combined_model(), path)
# +     KEPT[path] = model
# +     Path(path).write_bytes(b"x")
KEPT = {}

# %% wrong remembered, edit of wrong one_byte: Remembers the model, and writes an empty file.
# fails: It was read from the file, not kept in memory
# ~ Path(path).write_bytes(b"x") => Path(path).touch()
# ~ copy.deepcopy(KEPT[path]) => KEPT[path]

# %% wrong rounded, edit of right zip: Centres rounded to half precision.
# fails: It gives the same predictions, for rows in memory
# ~ np.asarray(getattr(plain, name)) for => np.asarray(getattr(plain, name)).astype(np.float16 if name.startswith("cl") else float) for

# %% wrong text, edit of right save: A file with a description of the model.
# fails: The loaded model can predict
# ~ return learn.save(model, path) => Path(path).write_text(repr(model))
# ~ learn.load(path) => Path(path).read_text()
