"""A headless Chromium that is spoken to through a pipe: pages from the file system, keys, and what scripts find."""

import json
import os
import select
import shutil
import subprocess
import time
from collections import deque
from pathlib import Path

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
OPTIONS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-dev-shm-usage",
    "--remote-debugging-pipe",
]
PATIENCE = 120.0  # seconds for one answer or event


class Browser:
    """A Chromium that shows one page at a time; use it as a context.

    Every page is opened in a browser context of its own, which holds what it is given to hold and nothing else: a
    Chromium under load loses what a page stored just before the next one is opened, and shows it what an earlier one
    has taken back.
    """

    def __init__(self, profile):
        assert CHROMIUM
        theirs, self._out = os.pipe()
        self._in, answers = os.pipe()
        fds = (theirs, answers)
        # It reads what it is told at 3 and answers at 4.
        command = f'exec "$@" 3<&{theirs} 4>&{answers}'
        self._process = subprocess.Popen(
            ["bash", "-c", command, "chromium", CHROMIUM, *OPTIONS, f"--user-data-dir={profile}"],
            pass_fds=fds,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for fd in fds:
            os.close(fd)
        self._waiting, self._number = b"", 0
        self._session = None
        self._context = None
        self._downloads = Path()
        self._events = deque()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        os.close(self._out)
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._in)

    def send(self, method, **parameters):
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + PATIENCE
        while (answer := self._next(until)).get("id") != self._number:
            self._events.append(answer)
        assert "error" not in answer, answer
        return answer["result"]

    def event(self, method):
        """The next event of this name, those that came before an answer included."""
        until = time.monotonic() + PATIENCE
        while True:
            message = self._events.popleft() if self._events else self._next(until)
            if message.get("method") == method:
                return message["params"]

    def open(self, path, downloads, stored=None):
        """Open a page in a browser that holds nothing but `stored` in its local storage."""
        self._session, old = None, self._context
        self._context = self.send("Target.createBrowserContext")["browserContextId"]
        place = {"browserContextId": self._context}
        self._downloads = downloads
        self.send(
            "Browser.setDownloadBehavior", behavior="allow", downloadPath=str(downloads), eventsEnabled=True, **place
        )
        target = self.send("Target.createTarget", url="about:blank", **place)["targetId"]
        if old:
            self.send("Target.disposeBrowserContext", browserContextId=old)
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.send("Page.enable")
        self.send("Page.setLifecycleEventsEnabled", enabled=True)
        source = f"for (const [name, value] of Object.entries({json.dumps(stored or {})})) localStorage[name] = value"
        self.send("Page.addScriptToEvaluateOnNewDocument", source=f"if (location.protocol === 'file:') {{ {source} }}")
        self._events.clear()
        loader = self.send("Page.navigate", url=path.as_uri())["loaderId"]
        while (told := self.event("Page.lifecycleEvent"))["loaderId"] != loader or told["name"] != "load":
            pass

    def open_again(self, path):
        """Open a page in a browser that holds what this one has stored."""
        self.open(path, self._downloads, self.value("({...localStorage})"))

    def download(self):
        """Wait for the next download and return its file."""
        name = self.event("Browser.downloadWillBegin")["suggestedFilename"]
        while self.event("Browser.downloadProgress")["state"] != "completed":
            pass
        return self._downloads / name

    def value(self, expression):
        told = self.send("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in told, told
        return told["result"].get("value")

    def press(self, *keys):
        for key in keys:
            text = {"text": key} if len(key) == 1 else {}
            self.send("Input.dispatchKeyEvent", type="keyDown", key=key, **text)
            self.send("Input.dispatchKeyEvent", type="keyUp", key=key)

    def touch(self, element):
        """Touch the middle of the first element that a selector finds, as a finger does."""
        self.send("Emulation.setTouchEmulationEnabled", enabled=True)
        self.send("Input.dispatchTouchEvent", type="touchStart", touchPoints=[self._middle(element)])
        self.send("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def click(self, element):
        """Click the middle of the first element that a selector finds, as a mouse does."""
        place = self._middle(element)
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, button="left", clickCount=1, **place)

    def wait_for(self, expression):
        """Wait until an expression is true."""
        until = time.monotonic() + PATIENCE
        while not self.value(expression):
            assert time.monotonic() < until, f"{expression} did not come true within {PATIENCE:g} s"
            time.sleep(0.02)

    def _middle(self, element):
        find = f"document.querySelector({json.dumps(element)})"
        self.value(f"{find}.scrollIntoView({{block: 'center'}})")
        box = self.value(
            f"(({{x, y, width, height}}) => [x + width / 2, y + height / 2])({find}.getBoundingClientRect())"
        )
        return {"x": box[0], "y": box[1]}

    def _next(self, until):
        while b"\0" not in self._waiting:
            ready, _, _ = select.select([self._in], [], [], max(0.0, until - time.monotonic()))
            assert ready, f"Chromium said nothing within {PATIENCE:g} s"
            came = os.read(self._in, 1 << 16)
            assert came, "Chromium has ended"
            self._waiting += came
        message, _, self._waiting = self._waiting.partition(b"\0")
        return json.loads(message)
