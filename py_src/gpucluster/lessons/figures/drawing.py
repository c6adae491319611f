"""What the figures of all lessons share: colours, axes, animations, and the words for "nothing to draw yet"."""

from collections.abc import Callable
from functools import wraps
from io import BytesIO
from typing import Any, ParamSpec

import numpy as np

P = ParamSpec("P")
INK, QUIET, ACCENT, WARNING = "#333333", "#8a8a8a", "#1f6fb2", "#c4501b"


def when_ready(draw: Callable[P, None]) -> Callable[P, None]:
    """Say in words that there is nothing to draw, when the learner's result is still empty."""

    @wraps(draw)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> None:
        if any(value is None or (isinstance(value, dict) and not value) for value in args):
            print("Nothing to draw yet: finish the exercise above, then run this cell again.")
        else:
            draw(*args, **kwargs)

    return guarded


def new_axes(width: float = 7.0, height: float = 3.6, **kwargs: Any) -> tuple[Any, Any]:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(width, height), layout="constrained", **kwargs)
    for one in np.ravel(axes):
        one.spines[["top", "right"]].set_visible(False)
    return figure, axes


def show(figure: Any) -> None:
    import matplotlib.pyplot as plt

    plt.show()
    plt.close(figure)


def in_bytes(value: float) -> str:
    """Say a number of bytes as people read it, such as ``"3.2 MB"``."""
    for unit in ("B", "kB", "MB", "GB"):
        if value < 1000 or unit == "GB":
            return f"{value:,.0f} {unit}" if value >= 10 or unit == "B" else f"{value:.1f} {unit}"
        value /= 1000
    raise AssertionError


def show_gif(image: bytes, words: str) -> None:
    """Display a GIF; the words say what it shows to those who do not see it."""
    from IPython.display import Image, display

    display(Image(image, format="gif", alt=words))  # type: ignore[no-untyped-call]


TIMES = 2


def show_frames(
    figure: Any,
    draw: Callable[[int], None],
    n_frames: int,
    *,
    words: str,
    frame_seconds: float = 0.25,
    last_seconds: float = 2.0,
) -> None:
    """Draw one frame after the other on a figure, and show them as one GIF picture.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        Closed at the end.
    draw : callable
        Changes the figure into frame 0, 1, …, ``n_frames - 1``.
    words : str
        What is to be seen, for those who cannot see it.
    """
    import matplotlib.pyplot as plt
    from PIL import Image

    pictures = []
    for number in range(n_frames):
        draw(number)
        figure.canvas.draw()
        pixels = np.asarray(figure.canvas.buffer_rgba())[..., :3].copy()
        pictures.append(Image.fromarray(pixels).quantize(128, dither=Image.Dither.NONE))
    plt.close(figure)
    durations = [int(1000 * frame_seconds)] * (n_frames - 1) + [int(1000 * last_seconds)]
    file = BytesIO()
    pictures[0].save(
        file, format="GIF", save_all=True, append_images=pictures[1:], loop=TIMES - 1, duration=durations, disposal=1
    )
    show_gif(file.getvalue(), words)
