"""Machine learning on Dask clusters: scikit-learn's names, on CPU workers and on GPUs.

Nothing heavy is imported before a name is used.
"""

from ..lazy_names import imported_when_used

_MODULES = {
    "cluster": ["DBSCAN", "KMeans"],
    "compose": ["ColumnTransformer", "make_column_transformer"],
    "communicators": ["Communicator", "MPICommunicator", "SerialCommunicator", "WorkerCommunicator"],
    "datasets": ["make_blobs", "make_classification", "make_regression"],
    "decomposition": ["PCA", "TruncatedSVD", "tsqr", "tssvd"],
    "ensemble": ["RandomForestClassifier", "RandomForestRegressor"],
    "linear_model": ["ElasticNet", "Lasso", "LinearRegression", "LogisticRegression", "Ridge"],
    "metrics": [
        "accuracy_score", "adjusted_rand_score", "confusion_matrix", "log_loss", "mean_absolute_error",
        "mean_squared_error", "r2_score", "silhouette_score",
    ],
    "model_selection": ["train_test_split"],
    "naive_bayes": ["GaussianNB", "MultinomialNB"],
    "neighbors": ["KNeighborsClassifier", "KNeighborsRegressor", "NearestNeighbors"],
    "neural_network": ["MLPClassifier"],
    "persistence": ["load", "save"],
    "preprocessing": [
        "LabelBinarizer", "LabelEncoder", "MaxAbsScaler", "MinMaxScaler", "OneHotEncoder", "OrdinalEncoder",
        "StandardScaler",
    ],
    "rows.running": ["run", "run_on_ranks"],
    "settings": ["config_context", "configuration"],
}  # fmt: skip
_LAZY = {name: module for module, names in _MODULES.items() for name in names}

__all__ = sorted(_LAZY)


__getattr__, __dir__ = imported_when_used(__name__, _MODULES)
