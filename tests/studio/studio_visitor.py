"""Somebody who asks the studio as a browser would."""

import re
import time
from html import unescape

import pytest

pytest.importorskip("starlette")

from starlette.testclient import TestClient

from geomdp.studio import application
from geomdp.studio.app import Studio
from geomdp.studio.folder import Folder

PORT = 8731
BASE = f"http://127.0.0.1:{PORT}"


class Visitor:
    """A browser that has opened the studio."""

    def __init__(self, root):
        self.studio = Studio(Folder(root))
        self.client = TestClient(
            application(self.studio, PORT), base_url=BASE, follow_redirects=True
        )
        self.home = self.client.get(f"/{self.studio.keys.door}")
        assert self.home.status_code == 200, self.home.text

    def get(self, place, **more):
        return self.client.get(f"{self.studio.keys.root}{place}", **more)

    def post(self, place, typed, *, origin=BASE, token=None, **more):
        from geomdp.studio.guard import TOKEN

        typed = {TOKEN: self.studio.keys.form if token is None else token, **typed}
        headers = {} if origin is None else {"origin": origin}
        place = f"{self.studio.keys.root}{place}"
        return self.client.post(place, data=typed, headers=headers, **more)

    def word(self, place):
        """The word of a release's form, new with each page."""
        return re.search(r'name="word" value="([^"]+)"', self.get(place).text)[1]

    def wait(self, name):
        """Wait for a release."""
        job = self.studio.jobs[name]
        for _ in range(600):
            if not job.going:
                return job
            time.sleep(0.05)
        raise AssertionError(f"still {job.stage}")


def text_of(reply):
    """What a person reads of a page."""
    plain = re.sub(r"<style.*?</style>|<svg.*?</svg>", " ", reply.text, flags=re.S)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", plain)).split())
