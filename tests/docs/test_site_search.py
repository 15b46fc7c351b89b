"""The search of the built site answers the questions of newcomers.

It runs where there is a site: sphinx-build -b html docs docs/_build/html.
"""

from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, Final

import pytest

SITE: Final = Path(__file__).parents[2] / "docs" / "_build" / "html"
QUESTIONS: Final = dict(
    line.split(": ")
    for line in (Path(__file__).parent / "site_questions.txt").read_text("utf-8").splitlines()
    if not line.startswith("#")
)

ASK: Final = """words => new Promise(resolve => {
  const results = document.getElementById("search-results");
  results.replaceChildren();
  DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;  // it would load each page that is found
  Search.performSearch(words);
  const look = () => {
    if (!Search.status.innerText) return setTimeout(look, 10);
    resolve([...Search.output.querySelectorAll("li a")].map(link => link.getAttribute("href")));
  };
  look();
})"""
"""Ask the search of the page, and return the links that it shows when it is done."""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (SITE / "search.html").exists(), reason="the site is not built"),
]


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, *_arguments: Any) -> None:
        pass


@pytest.fixture(scope="module")
def search(browser: Any) -> Iterator[Any]:
    """The search page of the site, with its index loaded."""
    handler = partial(QuietHandler, directory=str(SITE))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        page = browser.new_page()
        page.goto(f"http://127.0.0.1:{server.server_port}/search.html")
        page.wait_for_function("Search.hasIndex()")
        yield page
        page.close()
        server.shutdown()


def found(search: Any, words: str) -> list[str]:
    links: list[str] = search.evaluate(ASK, words)
    return [link.partition(".html")[0] for link in links]


def test_the_page_that_answers_is_among_the_first_three(search: Any) -> None:
    first = {words: found(search, words)[:3] for words in QUESTIONS}
    missed = {words: first[words] for words, page in QUESTIONS.items() if page not in first[words]}
    assert missed == {}


def rank(page: str) -> int:
    history = ("decisions/", "changelog", "contributing")
    return 2 if page.startswith(history) else page.startswith(("reference/", "upgrading"))


def test_pages_come_before_the_reference_and_that_before_decisions(search: Any) -> None:
    ranks = [*map(rank, found(search, "snapshots"))]
    assert ranks == sorted(ranks)
    assert {*ranks} == {0, 1, 2}
