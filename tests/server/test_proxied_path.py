"""Paths and texts on their way through the dashboard proxy."""

from __future__ import annotations

import pytest
from gpucluster.server.dashboards.relay import Disguise, PathRefused, checked_path, forwarded_query
from hypothesis import given
from hypothesis import strategies as st

SECRET = "Zr4_secret-prefix"
DISGUISE = Disguise(SECRET, "/user/x/gpucluster/dashboard/0a1b2c3d")


@pytest.mark.parametrize(
    ("path", "encoded"),
    [
        ("status", "status"),
        ("info/main/workers.html", "info/main/workers.html"),
        ("statics/", "statics/"),
        ("info/worker/tls://x.html".replace("//", "%2F%2F"), "info/worker/tls:%252F%252Fx.html"),
        ("individual task", "individual%20task"),
        ("info/ä", "info/%C3%A4"),
        ("a..b/.c", "a..b/.c"),
        ("status?x#y", "status%3Fx%23y"),
    ],
)
def test_good_path(path, encoded):
    assert checked_path(path) == encoded


@pytest.mark.parametrize(
    "path",
    [
        "..", "../status", "status/..", "a/../../b", ".", "./status",
        "/evil.example/x", "//evil.example", "a//b", "\\evil", "a\\..\\b", "a\x00b", "a\nb", "a\x7f",
        "proxy", "proxy/8787/127.0.0.1/status", "Proxy/1/h/x", "PROXY/1/h/x",
    ],
)  # fmt: skip
def test_refused_path(path):
    with pytest.raises(PathRefused) as caught:
        checked_path(path)
    assert caught.value.http_status == 404


@given(st.text(max_size=60))
def test_encoded_path_stays_below_the_prefix(path):
    try:
        encoded = checked_path(path)
    except PathRefused:
        return
    assert encoded.isascii()
    assert not set(encoded) & set("?#\\ \r\n")
    assert not encoded.startswith("/")
    assert ".." not in encoded.split("/")


def test_arguments_for_jupyter_are_not_forwarded():
    query = "token=jupyter-secret&bokeh-session-id=a%26b&_xsrf=1&empty="
    assert forwarded_query(query) == "bokeh-session-id=a%26b&empty="


@given(st.lists(st.sampled_from([f"/{SECRET}", SECRET, "/status", '"', "\\/", "ä", "/"]), max_size=8))
def test_no_text_keeps_the_secret(parts):
    text = "".join(parts)
    assert SECRET not in DISGUISE.text(text)
    assert SECRET.encode() not in DISGUISE.body(text.encode())


def test_links_lead_through_the_proxy():
    page = f'<script src="/{SECRET}/static/js/bokeh.min.js?v=1"></script>{{"absolute": "/{SECRET}/status"}}'
    assert DISGUISE.text(page) == page.replace(f"/{SECRET}", "/user/x/gpucluster/dashboard/0a1b2c3d")
    assert DISGUISE.body(b"\x00\xff") == b"\x00\xff"


@pytest.mark.parametrize(
    ("location", "shown"),
    [
        (f"/{SECRET}/status", "/user/x/gpucluster/dashboard/0a1b2c3d/status"),
        (f"http://127.0.0.1:8787/{SECRET}/status?a=1", "/user/x/gpucluster/dashboard/0a1b2c3d/status?a=1"),
        ("info/main/workers.html", "info/main/workers.html"),
        (f"/{SECRET}", "/user/x/gpucluster/dashboard/0a1b2c3d"),
        ("http://evil.example/", None),
        ("//evil.example/", None),
        ("http://127.0.0.1:9999/", None),
        ("/elsewhere", None),
        (f"/{SECRET}x/status", None),
        ("javascript:alert(1)", None),
    ],
)
def test_redirect(location, shown):
    assert DISGUISE.location(location, "127.0.0.1:8787") == shown
