"""The tables against known facts."""

import hashlib

import dask
import pandas as pd
import pytest
from gpucluster import datasets
from gpucluster.datasets.errors import DamagedFile, InvalidOption, MissingLibrary
from gpucluster.datasets.tables import path_of, read_rows, stored_tables

SHAPES = {
    "flights": (336_776, 19), "weather": (26_115, 15), "planes": (3_322, 9), "airports": (1_458, 8),
    "airlines": (16, 2),
}  # fmt: skip
CARIBBEAN = {"BQN", "PSE", "SJU", "STT"}


@pytest.fixture(scope="module")
def flights():
    return datasets.flights(as_frame="pandas")


@pytest.mark.parametrize("name", SHAPES)
def test_shapes_on_disk_in_memory_and_lazily(name):
    stored = stored_tables()[name]
    frame = getattr(datasets, name)(as_frame="pandas")
    lazy = getattr(datasets, name)()
    assert frame.shape == SHAPES[name] == (stored.rows, stored.columns)
    assert (len(lazy), len(lazy.columns)) == SHAPES[name]
    assert list(lazy.columns) == list(frame.columns)


def test_changed_files_are_found(monkeypatch, tmp_path):
    datasets.verify()
    for name, stored in stored_tables().items():
        data = path_of(name).read_bytes()
        assert (len(data), hashlib.sha256(data).hexdigest()) == (stored.bytes, stored.sha256)
    damaged = tmp_path / "planes.parquet"
    damaged.write_bytes(b"PAR1")
    real = path_of
    monkeypatch.setattr("gpucluster.datasets.tables.path_of", lambda name: damaged if name == "planes" else real(name))
    with pytest.raises(DamagedFile, match=r"planes.parquet is not the file that came with gpucluster"):
        datasets.verify()
    damaged.unlink()
    with pytest.raises(DamagedFile, match="'planes' is missing"):
        datasets.verify()


def test_missing_values(flights):
    missing = flights.isna().sum()
    assert missing[missing > 0].to_dict() == {
        "dep_time": 8255, "dep_delay": 8255, "arr_time": 8713, "arr_delay": 9430, "air_time": 9430, "tailnum": 2512,
    }  # fmt: skip
    weather = datasets.weather(as_frame="pandas").isna().sum()
    assert weather[["pressure", "wind_dir", "wind_gust"]].to_dict() == {
        "pressure": 2729, "wind_dir": 460, "wind_gust": 20778,
    }  # fmt: skip


def test_known_counts_and_means(flights):
    assert (flights.carrier.nunique(), flights.dest.nunique(), flights.tailnum.nunique()) == (16, 105, 4043)
    assert not flights.duplicated().any()
    means = flights.groupby("origin").dep_delay.mean().round(4).to_dict()
    assert means == {"EWR": 15.1080, "JFK": 12.1122, "LGA": 10.3469}
    assert flights.air_time.sum() == 49_326_610


def test_flights_are_in_the_order_of_their_dates(flights):
    dates = pd.to_datetime(flights[["year", "month", "day"]])
    assert dates.is_monotonic_increasing
    assert datasets.flights().npartitions == 12
    for number in (0, 11):
        assert set(datasets.flights().get_partition(number).month.compute()) == {number + 1}


def test_time_hour_is_utc_and_hour_is_local(flights):
    assert str(flights.time_hour.dtype) == "datetime64[us, UTC]"
    local = flights.time_hour.dt.tz_convert("America/New_York")
    assert (local.dt.hour == flights.hour).all()
    assert (local.dt.month == flights.month).all()


def test_joins(flights):
    weather = datasets.weather(as_frame="pandas")
    assert not weather.duplicated(["origin", "time_hour"]).any()
    assert weather.duplicated(["origin", "year", "month", "day", "hour"]).sum() == 3
    assert str(weather.time_hour.max()) == "2013-12-30 23:00:00+00:00"
    joined = flights.merge(weather[["origin", "time_hour", "visib"]], how="left", on=["origin", "time_hour"])
    # ``visib`` is never missing in the weather; counting ``temp`` or ``wind_speed`` finds a few more.
    assert (len(joined), joined.visib.isna().sum()) == (336_776, 1_556)
    assert (flights.time_hour > weather.time_hour.max()).sum() == 932
    planes = datasets.planes(as_frame="pandas")
    without = flights[~flights.tailnum.isin(planes.tailnum)]
    assert len(without) == 52_606
    assert without.carrier.value_counts()[["MQ", "AA"]].to_dict() == {"MQ": 25_397, "AA": 22_558}
    named = without[without.tailnum.notna()]
    assert len(named) == 52_606 - 2_512
    assert named.carrier.value_counts()[["MQ", "AA"]].to_dict() == {"MQ": 25_395, "AA": 22_474}
    elsewhere = flights[~flights.dest.isin(datasets.airports(as_frame="pandas").faa)]
    assert (len(elsewhere), set(elsewhere.dest)) == (7_602, CARIBBEAN)
    assert set(flights.carrier) == set(datasets.airlines(as_frame="pandas").carrier)


@pytest.mark.parametrize("npartitions", [1, 2, 7, 12])
def test_partitions_do_not_change_the_rows(flights, npartitions):
    lazy = datasets.flights(npartitions, columns=["origin", "dep_delay", "time_hour"])
    assert lazy.npartitions == npartitions
    assert lazy.known_divisions
    with dask.config.set(scheduler="synchronous"):
        whole = lazy.compute()
    lengths = lazy.map_partitions(len).compute()
    assert lengths.max() - lengths.min() <= (1 if npartitions != 12 else 5000)
    pd.testing.assert_frame_equal(
        whole.astype({"origin": object}), flights[["origin", "dep_delay", "time_hour"]].astype({"origin": object})
    )
    assert lazy.loc[300_000:300_001].compute().index.tolist() == [300_000, 300_001]


def test_only_used_columns_are_read():
    mean = datasets.flights().groupby("origin").dep_delay.mean()
    reads = list(mean.optimize(fuse=False).expr.find_operations(type(datasets.flights().expr.frame)))
    assert [sorted(read.columns) for read in reads] == [["dep_delay", "origin"]]
    assert list(read_rows((5, 7, 0), ["dest"], table="flights").columns) == ["dest"]


def test_copies_are_marked():
    lazy = datasets.flights(4, columns=["air_time", "replica"], copies=2)
    frame = lazy.compute()
    assert frame.replica.value_counts().to_dict() == {0: 336_776, 1: 336_776}
    assert frame.air_time.sum() == 2 * 49_326_610
    assert frame.index.is_unique and frame.index.max() == 2 * 336_776 - 1
    assert datasets.describe("flights", copies=2).distinct_source_rows == 336_776


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"npartitions": 0}, "npartitions: must be a whole number from 1 to 336,776, not 0"),
        ({"npartitions": True}, "npartitions: must be a whole number"),
        ({"columns": ["arrival"]}, "columns: there is no 'arrival'; flights has year, month"),
        ({"columns": []}, "columns: must name at least one column"),
        ({"as_frame": "polars"}, "as_frame: must be 'dask', 'pandas' or 'cudf', not 'polars'"),
        ({"as_frame": "pandas", "npartitions": 2}, "npartitions: requires as_frame='dask'"),
        ({"as_frame": "pandas", "copies": 2}, "copies: requires as_frame='dask'"),
        ({"copies": 0}, "copies: must be a whole number from 1"),
        ({"copies": 3, "npartitions": 4}, "must be a multiple of 3"),
    ],
)
def test_wrong_options(options, sentence):
    with pytest.raises(InvalidOption, match=sentence):
        datasets.flights(**options)


def test_missing_gpu_libraries(monkeypatch):
    monkeypatch.setattr("gpucluster.datasets.options.find_spec", lambda name: None)
    with dask.config.set({"dataframe.backend": "cudf"}), pytest.raises(MissingLibrary, match="cudf is not installed"):
        datasets.planes()
    with dask.config.set({"array.backend": "cupy"}), pytest.raises(MissingLibrary, match="cupy is not installed"):
        datasets.patches()
    with dask.config.set({"array.backend": "torch"}), pytest.raises(InvalidOption, match="'array.backend' is 'torch'"):
        datasets.digits()
