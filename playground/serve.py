#!/usr/bin/env python3
"""Serve the built page (dist/) to this machine only.

usage: serve.py [--check] PORT

With --check it only tells whether the port can be had, so that nobody waits for a build first.
"""
import http.server
import pathlib
import sys

DIST = pathlib.Path(__file__).resolve().parent.parent / "dist"
HOST = "127.0.0.1"

# A first look at a verdict, without a paste at hand.
EXAMPLE = "#example=inotify-instances-exhausted/bad-cgroup-v2-node.txt"


class Page(http.server.SimpleHTTPRequestHandler):
    # What a system's own table may lack or get wrong; browsers refuse modules and Wasm of another type.
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map,
                      ".js": "text/javascript", ".wasm": "application/wasm"}

    def __init__(self, *args):
        super().__init__(*args, directory=str(DIST))

    def end_headers(self):
        # A rebuilt page must show at the next reload.
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def log_request(self, code="-", size="-"):
        """Only what goes wrong is worth a line; errors are logged elsewhere."""


def main(arguments: list[str]) -> int:
    check = arguments[:1] == ["--check"]
    try:
        (port,) = arguments[check:]
        server = http.server.ThreadingHTTPServer((HOST, int(port)), Page)
    except (ValueError, OverflowError):
        print(f"serve: a port is a number from 1 to 65535, not '{' '.join(arguments[check:])}'", file=sys.stderr)
        return 64
    except OSError as error:
        print(f"serve: cannot use port {port} of {HOST}: {error.strerror}. "
              f"Stop what uses it, or choose another: make run PORT={int(port) + 1}", file=sys.stderr)
        return 1
    with server:
        if check:
            return 0
        page = f"http://{HOST}:{server.server_port}/"
        print(f"The page is at {page} (Ctrl-C stops)\nWith an example: {page}{EXAMPLE}", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
