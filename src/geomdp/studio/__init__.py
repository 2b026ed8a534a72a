"""The studio: plan, check, sign, release and read in a browser, on one's own machine.

A page is served to this machine alone, from files under one folder; see :mod:`geomdp.studio.guard`
for who may ask, :mod:`geomdp.studio.folder` for what is there. Whatever a screen does, it does by
the road of the command, and says which command that is.
"""

import os
import socket
import threading
import webbrowser
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from geomdp.studio.app import Studio
    from geomdp.studio.guard import Guard


def application(studio: "Studio", port: int) -> "Guard":
    """Return the whole application, with its guard before it."""
    from starlette.applications import Starlette
    from starlette.routing import Route

    from geomdp.studio import planning, reading, running
    from geomdp.studio.app import endpoint, not_found, own_file, too_large
    from geomdp.studio.guard import Guard, TooLargeError

    screens = {**planning.SCREENS, **reading.SCREENS, **running.SCREENS}
    routes = [
        Route(place, endpoint(studio, screen), methods=["GET", "POST"])
        for place, screen in screens.items()
    ]
    routes.append(Route("/own/{name}", endpoint(studio, own_file), methods=["GET"]))
    handlers: Any = {404: not_found, 405: not_found, TooLargeError: too_large}
    return Guard(Starlette(routes=routes, exception_handlers=handlers), studio.keys, port)


def serve(
    where: Path, port: int = 0, open_browser: bool = True, tell: Callable[[str], None] = print
) -> None:
    """Serve a project to this machine until it is stopped.

    ``where``: the project's folder; it becomes the current one, as it is of the commands that are
    shown. ``port``: on 127.0.0.1; a free one if 0. ``open_browser``: whether the page is opened.
    ``tell``: gets what a person is told.
    """
    import uvicorn

    from geomdp.studio.app import Studio
    from geomdp.studio.folder import Folder

    studio = Studio(Folder(where))
    os.chdir(studio.folder.root)
    with socket.socket() as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(("127.0.0.1", port))
        listening.listen()  # whoever comes before the server is ready waits for it
        port = listening.getsockname()[1]
        address = f"http://127.0.0.1:{port}/{studio.keys.door}"
        tell(f"Studio       {address}")
        tell(f"Project      {studio.folder.root}; stop with Ctrl-C")
        # No log of what is asked: addresses hold a secret, and bodies may hold more.
        config = uvicorn.Config(
            application(studio, port),
            access_log=False,
            log_level="error",
            server_header=False,
            lifespan="off",
            timeout_graceful_shutdown=2,
        )
        if open_browser:
            threading.Timer(0.4, webbrowser.open, [address]).start()
        uvicorn.Server(config).run(sockets=[listening])
