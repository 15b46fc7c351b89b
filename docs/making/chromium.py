"""Chromium, and the playground for it to show: what takes pictures of pages needs both."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread

from making.browser import find_runtime
from making.runnable import programs
from playwright.sync_api import Browser, sync_playwright

from fsmkit.inspector.browser.folder import write_playground


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start the browser, and close it in the end."""
    with sync_playwright() as driver:
        yield driver.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )


@contextmanager
def playground() -> Iterator[str]:
    """Serve the playground; yields its address."""
    with TemporaryDirectory() as folder:
        write_playground(Path(folder), programs(), Path(find_runtime()))
        server = ThreadingHTTPServer(
            ("127.0.0.1", 0), partial(SimpleHTTPRequestHandler, directory=folder)
        )
        Thread(target=server.serve_forever).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/index.html"
        finally:
            server.shutdown()
            server.server_close()
