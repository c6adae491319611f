"""One reduction on Dask, and on Ray and Spark where they are installed."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence
from functools import reduce
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from distributed import Client

Partial = Callable[[Any], Any]
Combine = Callable[[Any, Any], Any]


def reduce_everywhere(
    client: Client, parts: Sequence[Any], partial: Partial, combine: Combine
) -> dict[str, tuple[Any, float] | str]:
    """Do it on each framework that is here.

    Returns
    -------
    dict
        By framework, the result and the seconds that it took with everything warmed up but the framework's own start;
        or a sentence, where it is not installed.
    """
    return {
        "Dask": _timed(lambda: on_dask(client, parts, partial, combine)),
        "Ray": _where("ray", lambda: on_ray(parts, partial, combine)),
        "Spark": _where("pyspark", lambda: on_spark(parts, partial, combine)),
    }


def on_dask(client: Client, parts: Sequence[Any], partial: Partial, combine: Combine) -> Any:
    """Futures: each part on some worker, then pairs of results, until one is left."""
    results = client.map(partial, parts, pure=False)
    while len(results) > 1:
        pairs = [results[place : place + 2] for place in range(0, len(results), 2)]
        results = [client.submit(combine, *pair, pure=False) if len(pair) == 2 else pair[0] for pair in pairs]
    return results[0].result()


def on_ray(parts: Sequence[Any], partial: Partial, combine: Combine) -> Any:
    """Remote functions and references to results."""
    import ray

    # On loopback only: on a login node nobody else should reach it.
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, _node_ip_address="127.0.0.1")
    try:
        results = [ray.remote(partial).remote(part) for part in parts]
        return reduce(combine, ray.get(results))
    finally:
        ray.shutdown()


def on_spark(parts: Sequence[Any], partial: Partial, combine: Combine) -> Any:
    """A resilient distributed data set: each partition is one element here."""
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder: Any = SparkSession.builder
    builder = builder.master("local[2]").config("spark.driver.host", "127.0.0.1")
    session = builder.config("spark.ui.enabled", "false").config("spark.driver.bindAddress", "127.0.0.1").getOrCreate()
    try:
        return session.sparkContext.parallelize(list(parts), len(parts)).map(partial).reduce(combine)
    finally:
        session.stop()


def _where(package: str, run: Callable[[], Any]) -> tuple[Any, float] | str:
    if find_spec(package) is None:
        return f"not installed here (pip install {package})"
    return _timed(run)


def _timed(run: Callable[[], Any]) -> tuple[Any, float]:
    begin = time.perf_counter()
    return run(), time.perf_counter() - begin
