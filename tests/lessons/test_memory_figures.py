"""The pictures of lesson 11: sound SVG, words for those who cannot see them, and nothing that runs."""

import re
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from gpucluster.lessons.course.lesson_11_gpu_memory.checks import true_choice
from gpucluster.lessons.course.lesson_11_gpu_memory.simulations import Pool, replay, run_warps, use_buffers
from gpucluster.lessons.figures import gpumemory, vector

from tests.lessons.drawings import SVG, drawings_of, html_of

MIB = 2**20


def test_a_divergent_warp_is_drawn_twice(shown: list[Any]) -> None:
    gpumemory.warps({"mixed": run_warps(np.arange(64) % 2, 8, 8), "one side": run_warps(np.ones(32), 8, 8)})
    [picture] = drawings_of(shown[0])
    lanes = [box for box in picture.iter(f"{SVG}rect") if box.find(f"{SVG}title") is not None]
    works = [box for box in lanes if "works" in (box.findtext(f"{SVG}title") or "")]
    assert (len(lanes), len(works)) == (2 * 2 * 32 + 32, 64 + 32)
    assert all(float(box.get("fill-opacity", 0)) == 1 for box in works)
    assert "mixed: 32 steps, 50% of the lanes active" in repr(shown[0])


def test_each_request_is_a_step_and_a_refusal_is_said(shown: list[Any]) -> None:
    trace = [("allocate", "A", MIB), ("allocate", "B", MIB), ("free", "A"), ("allocate", "C", 2 * MIB)]
    gpumemory.pool_steps(replay(trace, Pool(3 * MIB, 3 * MIB)))
    pictures = drawings_of(shown[0])
    assert len(pictures) == len(re.findall(r'<input type="radio"', html_of(shown[0]))) == 4
    words = [" ".join(text.text or "" for text in one.iter(f"{SVG}text")) for one in pictures]
    assert "A is freed 2 MiB free in 2 pieces, the largest 1 MiB" in words[2]
    assert "✗ refused: 2 MiB free in 2 pieces, the largest 1 MiB" in words[3]
    assert len(set(re.findall(r'id="([^"]+)"', html_of(shown[0])))) == 8
    ids = re.findall(r'<label for="([^"]+)"', html_of(shown[0]))
    assert all(f'id="{one}"' in html_of(shown[0]) for one in ids)


def test_gaps_are_found_where_the_pool_does_not_tell_them(shown: list[Any]) -> None:
    found = replay([("allocate", "A", MIB), ("allocate", "B", MIB), ("free", "A")], Pool(4 * MIB, 4 * MIB))
    last = found.steps[-1]
    silent = type(last)(last.event, "", last.live, (), last.pool_size)
    assert gpumemory._gaps(silent) == gpumemory._gaps(last) == [(0, MIB), (2 * MIB, 2 * MIB)]


def test_uses_that_fetched_are_marked(shown: list[Any]) -> None:
    sizes = dict.fromkeys("abc", 10_000_000)
    gpumemory.spilling({"round": use_buffers(sizes, list("abcabc"), 20_000_000, true_choice)})
    [picture] = drawings_of(shown[0])
    titles = [title.text or "" for title in picture.iter(f"{SVG}title")]
    assert sum("was fetched back" in title for title in titles) == 3
    assert "3 of 6 uses fetched data" in repr(shown[0])


def test_the_ladder_and_empty_results(shown: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    gpumemory.ladder()
    [picture] = drawings_of(shown[0])
    words = {text.text for text in picture.iter(f"{SVG}text")}
    assert {"GPU memory", "host memory", "disk"} <= words
    gpumemory.spilling({})
    assert "Nothing to draw yet" in capsys.readouterr().out
    assert len(shown) == 1


def test_words_are_escaped() -> None:
    picture = vector.Picture(10, 10, 'a "b" <c>')
    picture.text(1, 1, "<script>alert(1)</script>")
    picture.box(1, 1, 2, 2, vector.DEEP_BLUE, "</title><script>")
    assert "<script>" not in picture.svg()
    assert ElementTree.fromstring(picture.svg()).get("aria-label") == 'a "b" <c>'


@pytest.mark.parametrize("colour", [vector.DEEP_BLUE, vector.DEEP_ORANGE, vector.DEEP_GREEN, *gpumemory._COLOURS])
def test_white_letters_can_be_read_on_every_colour(colour: str) -> None:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    assert 1.05 / (luminance + 0.05) >= 4.5  # WCAG AA
    assert (luminance + 0.05) / 0.0561 >= 2.0  # against JupyterLab's dark page, #111111: a shape, not a text
