"""A real browser through the WebDriver protocol, with nothing but the standard library."""

import base64
import json
import shutil
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    # WebGL without a graphics card, and without the console saying so.
    "--enable-unsafe-swiftshader",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
]


def missing() -> str:
    """Return what is not installed, or nothing."""
    absent = [name for name in ("chromium", "chromedriver") if shutil.which(name) is None]
    return " and ".join(absent)


class Browser:
    """One session of chromedriver."""

    def __init__(self, port: int, profile: Path) -> None:
        self._base = f"http://127.0.0.1:{port}"
        # The driver is on this machine: never through a proxy of the environment.
        self._open = urllib.request.build_opener(urllib.request.ProxyHandler({})).open
        options = {"args": [*FLAGS, f"--user-data-dir={profile}"]}
        wanted = {
            "browserName": "chrome",
            "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL"},
        }
        answer = self._call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self._session = f"/session/{answer['sessionId']}"

    def _call(self, method: str, path: str, body: Any = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self._base + path, data, {"Content-Type": "application/json"}, method=method
        )
        try:
            with self._open(request, timeout=60) as reply:
                return json.load(reply)["value"]
        except urllib.error.HTTPError as error:
            said = json.loads(error.read())["value"]
            raise RuntimeError(f"{path}: {said['error']}: {said['message'][:300]}") from None

    def open(self, file: Path) -> None:
        """Show a file."""
        self._call("POST", f"{self._session}/url", {"url": file.resolve().as_uri()})

    def run(self, script: str, *arguments: Any) -> Any:
        """Run a script in the page and return its result."""
        body = {"script": script, "args": list(arguments)}
        return self._call("POST", f"{self._session}/execute/sync", body)

    def devtools(self, command: str, **parameters: Any) -> Any:
        """Send a command of the developer tools."""
        body = {"cmd": command, "params": parameters}
        return self._call("POST", f"{self._session}/goog/cdp/execute", body)

    def look(self, width: int, *, dark: bool, height: int = 900) -> None:
        """Set the width of the window in CSS pixels, and whether the reader prefers dark pages."""
        self.devtools(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.devtools("Emulation.setEmulatedMedia", features=[scheme])

    def log(self) -> list[str]:
        """Return what the console said since the last call, but that reading pixels takes time."""
        entries = self._call("POST", f"{self._session}/se/log", {"type": "browser"})
        told = [f"{entry['level']}: {entry['message']}" for entry in entries]
        return [line for line in told if "ReadPixels" not in line]

    def pointer(self, *actions: dict[str, Any]) -> None:
        """Move the mouse as a person would."""
        mouse = {"type": "pointer", "id": "mouse", "actions": list(actions)}
        self._call("POST", f"{self._session}/actions", {"actions": [mouse]})

    def picture(self) -> bytes:
        """Return the window as PNG."""
        return base64.b64decode(self._call("GET", f"{self._session}/screenshot"))

    def quit(self) -> None:
        """End the session."""
        self._call("DELETE", self._session)


@contextmanager
def browser(folder: Path) -> Iterator[Browser]:
    """Start chromedriver on a port of its choice, and end it afterwards."""
    log = folder / "driver.log"
    with log.open("w") as out:
        driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=out, stderr=out)
    try:
        session = Browser(_port(driver, log), folder / "profile")
        try:
            yield session
        finally:
            session.quit()
    finally:
        driver.terminate()
        driver.wait(timeout=30)


def _port(driver: "subprocess.Popen[bytes]", log: Path) -> int:
    """Wait until chromedriver says where it listens."""
    for _ in range(600):
        words = log.read_text().split("started successfully on port ")
        if len(words) > 1:
            return int(words[1].split(".")[0])
        if driver.poll() is not None:
            break
        time.sleep(0.1)
    raise RuntimeError(f"chromedriver did not start: {log.read_text()}")
