"""Flight minutes, patches and digits, made by workers with another working directory."""

import dask
import numpy as np
import pandas
import pytest
from gpucluster import datasets
from gpucluster.client.cluster import Cluster
from gpucluster.client.control import AsyncControl
from gpucluster.datasets.airborne import minutes_of
from gpucluster.datasets.errors import InvalidOption
from sklearn.datasets import load_digits, load_sample_image
from sklearn.feature_extraction.image import extract_patches_2d


@pytest.fixture(scope="module")
def client(shared_site, shared_cluster, tmp_path_factory):
    """A client of two workers; this process has a different working directory."""
    cluster = Cluster(shared_cluster, AsyncControl(shared_site.directory))
    with pytest.MonkeyPatch.context() as patch, cluster.get_client() as connected:
        patch.chdir(tmp_path_factory.mktemp("elsewhere"))
        yield connected


@pytest.mark.full
def test_flight_minutes(client):
    minutes = datasets.flight_minutes()
    assert minutes.dtypes.to_dict() == {"flight_row": "int32", "minute": "int16", "clock": "int32"}
    flights = datasets.flights(as_frame="pandas")
    counts = minutes.flight_row.value_counts(split_out=1)
    by_clock = minutes.clock.value_counts()
    ends = minutes.minute.astype("int64").sum()
    counts, by_clock, ends, lengths = dask.compute(counts, by_clock, ends, minutes.map_partitions(len))
    assert lengths.sum() == 49_326_610
    flown = flights.air_time.dropna()
    assert counts.sort_index().tolist() == flown.tolist()
    assert counts.sort_index().index.tolist() == flown.index.tolist()
    assert ends == (flown * (flown - 1) / 2).sum()
    assert by_clock.max() == 191
    first = by_clock[by_clock == 191].index.min()
    assert first == ((31 + 28 + 31 + 2) * 24 + 19) * 60 + 54, "2013-04-03 19:54"


def test_flight_minutes_take_ten_bytes_and_know_their_rows(client):
    minutes = datasets.flight_minutes(100)
    part = minutes.get_partition(42).compute()
    assert part.memory_usage(index=False).sum() == 10 * len(part)
    assert (part.index[0], part.index[-1] + 1) == minutes.divisions[42:44]
    assert minutes.npartitions == 100
    # Only the needed columns are made.
    assert list(minutes_of((0, 10), 0, ["clock"]).columns) == ["clock"]


def test_minutes_of_a_flight_after_midnight():
    flights = datasets.flights(as_frame="pandas", columns=["month", "day", "sched_dep_time", "dep_delay", "dep_time",
                                                           "air_time"])  # fmt: skip
    late = flights[(flights.dep_delay > 600) & flights.air_time.notna()].iloc[0]
    made = minutes_of((int(late.name), int(late.name) + 1), 0)
    days = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334][int(late.month) - 1] + late.day - 1
    scheduled = days * 1440 + late.sched_dep_time // 100 * 60 + late.sched_dep_time % 100
    assert made.clock.iloc[0] == scheduled + late.dep_delay
    assert made.clock.iloc[0] % 1440 == late.dep_time // 100 * 60 + late.dep_time % 100
    assert made.clock.iloc[-1] - made.clock.iloc[0] == late.air_time - 1


@pytest.mark.parametrize(
    ("size", "shape"), [(8, (531_720, 192)), (16, (515_000, 768)), (32, (482_328, 3_072)), (64, (420_056, 12_288))]
)
def test_patches_are_lazy_and_their_blocks_small(size, shape):
    array = datasets.patches(size)
    assert (array.shape, array.dtype) == (shape, np.float32)
    assert max(array.chunks[0]) * shape[1] * 4 <= 32e6
    assert datasets.describe("patches", size=size).rows == shape[0]


@pytest.mark.parametrize("n_blocks", [1, 2, 7])
def test_patches_are_those_of_scikit_learn(client, n_blocks):
    expected = np.concatenate([
        extract_patches_2d(load_sample_image(f"{photo}.jpg"), (3, 3)).reshape(-1, 27) for photo in ("china", "flower")
    ])  # fmt: skip
    found = datasets.patches(3, n_blocks=n_blocks).compute()
    assert np.array_equal(found, (expected / 255).astype(np.float32))


def test_one_photo_and_its_pixels(client):
    china = np.asarray(load_sample_image("china.jpg"))
    flower = datasets.patches(2, photo="flower")
    assert flower.shape == (426 * 639, 12)
    assert np.array_equal(flower[0].compute().reshape(2, 2, 3) * 255, load_sample_image("flower.jpg")[:2, :2])
    pixels = datasets.pixels(3)
    assert (pixels.shape, pixels.numblocks) == ((273_280, 3), (3, 1))
    assert np.array_equal(pixels.compute(), (china.reshape(-1, 3) / 255).astype(np.float32))
    photos = datasets.photos().compute()
    assert (photos.shape, photos.dtype) == ((2, 427, 640, 3), np.uint8)
    assert np.array_equal(photos[0], china)


def test_digits(client):
    X, y = datasets.digits(4)
    expected = load_digits(return_X_y=True)
    assert X.numblocks == (4, 1) and y.numblocks == (4,)
    assert np.array_equal(X.compute(), expected[0]) and np.array_equal(y.compute(), expected[1])


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: datasets.flight_minutes(0), "npartitions: must be a whole number"),
        (lambda: datasets.patches(0), "size: must be a whole number from 1 to 427, not 0"),
        (lambda: datasets.patches(2.5), "size: must be a whole number"),
        (lambda: datasets.patches(8, n_blocks=10**9), "n_blocks: must be a whole number from 1 to 531,720"),
        (lambda: datasets.patches(photo="cat"), "photo: must be 'china', 'flower' or None"),
        (lambda: datasets.digits(1798), "n_blocks: must be a whole number from 1 to 1,797"),
        (lambda: datasets.describe("cats"), "unknown data set 'cats'; available: flights"),
        (lambda: datasets.describe("digits", size=8), "size: does not change the size of 'digits'"),
        (lambda: datasets.describe("patches", photo="cat"), "photo: must be"),
    ],
)
def test_wrong_options(make, sentence):
    with pytest.raises(InvalidOption, match=sentence):
        make()


def test_descriptions_agree_with_the_data():
    for name in ("flights", "weather", "planes", "airports", "airlines"):
        description = datasets.describe(name)
        frame = getattr(datasets, name)(as_frame="pandas")
        assert (description.rows, description.columns) == frame.shape
        if pandas.__version__ >= "3":  # text took more before
            assert description.memory_bytes == pytest.approx(frame.memory_usage(deep=True).sum(), rel=0.5)
        assert description.kind == "records" and description.distinct_source_rows == description.rows
    minutes = datasets.describe("flight_minutes")
    assert (minutes.rows, minutes.memory_bytes, minutes.kind) == (49_326_610, 493_266_100, "derived")
    assert minutes.distinct_source_rows == 336_776
    patches = datasets.describe("patches", size=16)
    assert (patches.memory_bytes, patches.kind) == (515_000 * 768 * 4, "derived")
    assert "CC BY 2.0" in str(patches) and "distinct source rows: 546,560" in str(patches)
    copies = datasets.describe("flights", copies=10)
    assert copies.kind == "copies" and "load tests only" in str(copies) and "load tests only" in copies._repr_html_()
    for name, made in (("digits", datasets.digits()[0]), ("pixels", datasets.pixels()), ("photos", datasets.photos())):
        assert datasets.describe(name).rows == made.shape[0]
