import joblib

# %% right config: parallel_config around the fit.
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier


def search(backend, model, grid, X, y):
    with joblib.parallel_config(backend=backend, n_jobs=2):
        return GridSearchCV(model, grid, cv=3).fit(X, y)


X, y = load_iris(return_X_y=True)
GRID = {"n_neighbors": [1, 3, 10], "weights": ["uniform", "distance"]}
found = {name: GridSearchCV(KNeighborsClassifier(), GRID, cv=3).fit(X, y) for name in ("threading", "loky", "dask")}

# %% right n_jobs: The number of jobs is given to the search.
# -     with joblib.parallel_config(backend=backend, n_jobs=2):
# -         return GridSearchCV(model, grid, cv=3).fit(X, y)
# +     result = GridSearchCV(model, grid, cv=3, n_jobs=2, refit=True)
# +     with joblib.parallel_backend(backend):
# +         result.fit(X, y)
# +     return result

# %% right pipeline_style, edit of right n_jobs: The backend is registered by name; the search is set up first.
# ~ import GridSearchCV => import GridSearchCV, StratifiedKFold
# ~ joblib.parallel_backend(backend) => joblib.parallel_config(backend, n_jobs=-1)
# ~ result.fit(X, y) => result.fit(X=X, y=y)
# -     result = GridSearchCV(model, grid, cv=3, n_jobs=2, refit=True)
# +     result = GridSearchCV(estimator=model, param_grid=[grid], cv=StratifiedKFold(3), error_score="raise")

# %% right with_loop: A with statement, and a loop over the three backends.
import sklearn.neighbors
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV

images, digit = load_digits(return_X_y=True)
grid = {"n_neighbors": [1, 3, 10], "weights": ["uniform", "distance"]}


def search(backend, model, grid, X, y):
    with joblib.parallel_config(backend=backend, n_jobs=2):
        return GridSearchCV(model, grid, cv=3).fit(X, y)


found = {}
for backend in ("threading", "loky", "dask"):
    found[backend] = search(backend, sklearn.neighbors.KNeighborsClassifier(), grid, images, digit)

# %% wrong always_threads: Threads, whatever the backend.
# fails: loky: all work is done in separate processes on this machine
# ~ joblib.parallel_config(backend=backend, n_jobs=2) => joblib.parallel_config(backend="threading", n_jobs=2)

# %% wrong b_best_model, edit of right with_loop: Gives the best model instead of the fitted search.
# fails: Each of its values is a fitted GridSearchCV
# ~ fit(X, y) => fit(X, y).best_estimator_

# %% wrong b_no_dask, edit of right with_loop: Found has no result for the backend dask.
# fails: found is a dictionary with the keys threading, loky, dask
# ~ in ("threading", "loky", "dask"): => in ("threading", "loky"):

# %% wrong b_one_job, edit of right with_loop: N_jobs=1 in the search overrides the two jobs of the configuration, so nothing runs on the backend.
# fails: loky: all work is done in separate processes on this machine
# ~ GridSearchCV(model, grid, cv=3).fit(X, y) => GridSearchCV(model, grid, cv=3, n_jobs=1).fit(X, y)

# %% wrong b_random, edit of right with_loop: Tries four combinations by chance, although all parameters of the grid are to be tried.
# fails: found has searches over the whole grid
# ~ import GridSearchCV => import RandomizedSearchCV
# ~ return GridSearchCV(model, grid, cv=3) => return RandomizedSearchCV(model, grid, n_iter=4, cv=3, random_state=0)

# %% wrong best_only: Returns the parameters only.
# fails: search returns a fitted GridSearchCV
# ~ GridSearchCV(model, grid, cv=3).fit(X, y) => GridSearchCV(model, grid, cv=3).fit(X, y).best_params_

# %% wrong five_folds: Five folds.
# fails: The cross-validation is three-fold
# ~ GridSearchCV(model, grid, cv=3).fit(X, y) => GridSearchCV(model, grid, cv=5).fit(X, y)

# %% wrong five_folds_found: Five folds in found.
# fails: The cross-validation is three-fold
# ~ GRID, cv=3 => GRID, cv=5

# %% wrong one_search_three_times, edit of right config: One search, copied.
# fails: Each backend has its own search in found
import copy

once = GridSearchCV(KNeighborsClassifier(), GRID, cv=3).fit(X, y)
found = {name: copy.deepcopy(once) for name in ("threading", "loky", "dask")}

# %% wrong other_parameters: The three searches do not agree.
# fails: All three found the same best parameters
# - found = {name: GridSearchCV(KNeighborsClassifier(), GRID, cv=3).fit(X, y) for name in ("threading", "loky", "dask")}
# + found = {name: GridSearchCV(KNeighborsClassifier(), GRID, cv=3).fit(X, y) for name in ("threading", "loky", "dask")}
# + found["dask"] = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [99]}, cv=3).fit(X, y)

# %% wrong small_grid: Tries a part of the grid.
# fails: Every value of the grid was tried
# - def search(backend, model, grid, X, y):
# + def search(backend, model, grid, X, y):
# +     grid = {name: values[:2] for name, values in grid.items()}
