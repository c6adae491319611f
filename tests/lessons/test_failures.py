"""A failure that is expected is shown and swallowed; one that is not, is not."""

from __future__ import annotations

from typing import Any

import pytest
from gpucluster.lessons import expect_failure
from gpucluster.lessons.failures import Failure


def test_it_shows_type_line_and_message_and_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    with expect_failure() as failure:
        {}["height"]
    assert failure.happened
    assert failure.kind == "KeyError"
    shown = capsys.readouterr().out
    assert "✗ KeyError" in shown
    assert "in the line: {}" in shown
    assert "'height'" in shown
    assert "Traceback" not in shown


def test_it_says_so_when_nothing_failed(capsys: pytest.CaptureFixture[str]) -> None:
    with expect_failure() as failure:
        pass
    assert not failure.happened
    assert "Nothing failed here" in capsys.readouterr().out


def test_an_error_of_another_type_is_not_swallowed() -> None:
    with pytest.raises(KeyError), expect_failure(ZeroDivisionError):
        raise KeyError("other")


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit])
def test_a_learner_can_always_stop_it(stop: type[BaseException]) -> None:
    with pytest.raises(stop), expect_failure():
        raise stop


def test_the_error_keeps_no_data_alive() -> None:
    with expect_failure() as failure:
        raise ValueError("large")
    assert failure.error is not None
    assert failure.error.__traceback__ is None


def test_text_of_an_error_is_never_html() -> None:
    page = Failure("ValueError", "<script>1</script>" * 200, "f('<b>')", ValueError())._repr_html_()
    assert "<script>" not in page
    assert "<b>" not in page


def test_a_failure_on_a_worker_names_the_line_of_the_learner(client: Any, capsys: pytest.CaptureFixture[str]) -> None:
    def divide(number: int) -> float:
        return 1 / number

    with expect_failure(ZeroDivisionError) as failure:
        client.submit(divide, 0, pure=False).result()
    assert failure.line == "return 1 / number"
    assert "division by zero" in capsys.readouterr().out
