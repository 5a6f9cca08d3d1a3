"""Drives Chromium through ChromeDriver, by the WebDriver protocol and nothing else."""

from __future__ import annotations

import base64
import json
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

DRIVER = shutil.which("chromedriver")
BROWSER = shutil.which("chromium") or shutil.which("google-chrome")
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
ARGUMENTS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-quic",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--window-size=1500,900", "--hide-scrollbars",
)  # fmt: skip


class Browser:
    """One window of a browser; a context manager."""

    def __init__(self, profile: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self._base = f"http://127.0.0.1:{port}"
        self._process = subprocess.Popen(
            [str(DRIVER), f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        options = {
            "binary": BROWSER,
            "args": [*ARGUMENTS, f"--user-data-dir={profile}"],
        }
        wanted = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        self._session = self._started({"capabilities": {"alwaysMatch": wanted}})

    def _started(self, wanted):
        for _ in range(100):
            try:
                found = self._ask("POST", "/session", wanted)
                return f"/session/{found['sessionId']}"
            except urllib.error.HTTPError:
                raise
            except OSError:  # not listening yet
                time.sleep(0.1)
        raise TimeoutError("chromedriver did not start")

    def _ask(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self._base + path, data, method=method)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.loads(answer.read())["value"]

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        try:
            self._ask("DELETE", self._session)
        finally:
            self._process.terminate()
            self._process.wait(10)

    def open(self, page: Path) -> None:
        """Load a file."""
        self._ask("POST", f"{self._session}/url", {"url": page.as_uri()})

    def run(self, script: str, *args):
        """Return what a script returns."""
        body = {"script": script, "args": list(args)}
        return self._ask("POST", f"{self._session}/execute/sync", body)

    def point_at(self, selector: str, *, click: bool = False) -> None:
        """Move the pointer over an element."""
        found = self._ask(
            "POST", f"{self._session}/element", {"using": "css selector", "value": selector}
        )
        move = {"type": "pointerMove", "origin": {ELEMENT: found[ELEMENT]}, "x": 0, "y": 0}
        press = [{"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        actions = [move, *(press if click else [])]
        pointer = {"type": "pointer", "id": "mouse", "actions": actions}
        self._ask("POST", f"{self._session}/actions", {"actions": [pointer]})

    def complaints(self):
        """Return what the browser has written to its console."""
        return self._ask("POST", f"{self._session}/se/log", {"type": "browser"})

    def picture(self, path: Path) -> None:
        """Write a picture of the window."""
        data = self._ask("GET", f"{self._session}/screenshot")
        path.write_bytes(base64.b64decode(data))
