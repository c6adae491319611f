"""A look at the pages that were built: no link within the site leads nowhere, and nothing is loaded from elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

_LOADED = {
    "script": ("src",),
    "img": ("src",),
    "link": ("href",),
    "iframe": ("src",),
    "source": ("src",),
    "video": ("src",),
}
_NOT_LOADED = {"canonical", "search", "next", "prev", "author", "index", "license"}


@dataclass
class _Page(HTMLParser):
    """What a page has and needs."""

    names: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    loaded: list[str] = field(default_factory=list)
    nameless: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.names.update(given[name] for name in ("id", "name") if name in given)
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if tag == "img" and not given.get("alt"):
            self.nameless.append(given.get("src", ""))
        if given.get("rel", "") not in _NOT_LOADED:
            self.loaded.extend(given[name] for name in _LOADED.get(tag, ()) if name in given)


def faults(site: Path) -> Iterator[str]:
    """Give a sentence for each fault of the built pages."""
    pages = {}
    for path in sorted(path for path in site.rglob("*.html") if "_static" not in path.parts):
        pages[path] = page = _Page()
        page.feed(path.read_text(encoding="utf-8"))
    for path, page in pages.items():
        name = path.relative_to(site)
        for address in page.loaded:
            if urlsplit(address).scheme not in {"", "data"} or address.startswith("//"):
                yield f"{name} loads {address} from elsewhere."
        for picture in page.nameless:
            yield f"{name}: the picture {picture} has no text for those who do not see it."
        for link in {*page.links, *page.loaded}:
            parts = urlsplit(link)
            if parts.scheme or link.startswith("//"):
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.exists():
                yield f"{name}: the link to {link} leads to nothing."
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].names:
                yield f"{name}: {link} leads to a place that the page does not have."
    for path in sorted(site.rglob("*.css")):
        for foreign in ("url(http", 'url("http', "url(//", "@import url(http", '@import "http'):
            if foreign in path.read_text(encoding="utf-8"):
                yield f"{path.relative_to(site)} loads something from elsewhere."
