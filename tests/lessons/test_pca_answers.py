"""Lesson 07: answers on the cluster, what the checks know about the photos, pictures as tables of tiles."""

from typing import Any

import numpy as np
import pytest
from gpucluster.datasets import patches
from gpucluster.lessons.checking import check
from gpucluster.lessons.course.lesson_07_pca import checks
from gpucluster.lessons.material.pictures import cut_tiles, load_photo, paste_tiles

from tests.lessons.answering import answers_to, seeds
from tests.lessons.test_answers import load_answer


@pytest.mark.parametrize("seed", seeds(3))
@pytest.mark.parametrize("number", ["07.4", "07.6"])
def test_answers_on_the_cluster_pass_whatever_the_hidden_inputs(number: str, seed: int, client: Any) -> None:
    right = next(one for one in answers_to(number) if one.right)
    result = check(number, *load_answer(right), client=client, seed=seed)
    assert result.passed, result


@pytest.mark.full
def test_what_the_checks_know_about_the_photos_is_so() -> None:
    X = patches(16)
    assert X.shape[0] == checks.PATCHES
    # One row in forty: enough for three digits.
    sample = np.concatenate([X.blocks[i].compute(scheduler="synchronous")[::40] for i in range(X.numblocks[0])])
    sample = sample.astype(float)
    values = np.linalg.eigvalsh(np.cov(sample.T))[::-1]
    assert values[0] / values.sum() == pytest.approx(checks.FIRST_RATIO, abs=0.003)
    first = np.linalg.eigh(sample.T @ sample)[1][:, -1]
    mean = sample.mean(axis=0)
    assert abs(first @ mean) / np.linalg.norm(mean) == pytest.approx(checks.COSINE, abs=0.0005)


def test_tiles_are_laid_out_as_patches_and_give_the_picture_back() -> None:
    photo = load_photo()
    tiles = cut_tiles(photo, 16)
    assert tiles.shape == (26 * 40, 768)
    assert tiles.min() >= 0 and tiles.max() <= 1
    np.testing.assert_array_equal(paste_tiles(tiles, 16, 40), photo[: 26 * 16, : 40 * 16])
    first = patches(16, photo="china").blocks[0][0].compute(scheduler="synchronous")
    np.testing.assert_allclose(tiles[0], first, atol=1e-6)
    assert paste_tiles(np.array([[-0.5, 0.5, 1.5]]), 1, 1).tolist() == [[[0, 128, 255]]], "outside is cut off"
