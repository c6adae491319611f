"""SIMULATED."""

import numpy as np
import sklearn.preprocessing

from .simulated import Simulated


class LabelEncoder(Simulated):
    known = {"handle_unknown"}

    def local(self):
        return sklearn.preprocessing.LabelEncoder()

    def transform(self, y, delayed=True):
        self._note("transform", y=type(y).__name__)
        codes = {label: code for code, label in enumerate(self._model.classes_)}
        return y.map_partitions(lambda part: part.map(codes), meta=(y.name, np.int64))


class OneHotEncoder(Simulated):
    known = {"categories", "drop", "sparse_output", "dtype", "handle_unknown"}

    def local(self):
        return sklearn.preprocessing.OneHotEncoder(**self.kwargs)


class OrdinalEncoder(Simulated):
    known = {"categories", "dtype", "handle_unknown"}

    def local(self):
        return sklearn.preprocessing.OrdinalEncoder(**self.kwargs)


class LabelBinarizer(Simulated):
    known = {"neg_label", "pos_label", "sparse_output"}

    def local(self):
        return sklearn.preprocessing.LabelBinarizer(**self.kwargs)
