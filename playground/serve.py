#!/usr/bin/env python3
"""Serve the built page (dist/) to this machine only.

usage: serve.py [--check] PORT

With --check it only tells whether the port can be had, so that nobody waits for a build first.
"""
import html
import http.server
import pathlib
import re
import sys

DIST = pathlib.Path(__file__).resolve().parent.parent / "dist"
HOST = "127.0.0.1"

# A first look at a verdict, without a paste at hand.
EXAMPLE = "#example=inotify-instances-exhausted/bad-cgroup-v2-node.txt"

# A file with a hash in its name never changes.
HASHED = re.compile(r"-[0-9a-f]{16}(_bg)?\.\w+$")
META = re.compile(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">')


def policy() -> str:
    """The content security policy in the page's own meta tag, and the one thing that only a header can say.

    The page may be embedded anywhere: it has no accounts and no secrets that a page around it could trick out of it. To
    allow your own sites alone, send for example `frame-ancestors 'self' https://docs.example`.
    """
    found = META.search((DIST / "index.html").read_text(encoding="utf-8"))
    return (html.unescape(found[1]) + "; " if found else "") + "frame-ancestors *"


class Page(http.server.SimpleHTTPRequestHandler):
    # What a system's own table may lack or get wrong; browsers refuse modules and Wasm of another type.
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map,
                      ".css": "text/css; charset=utf-8", ".html": "text/html; charset=utf-8",
                      ".js": "text/javascript; charset=utf-8", ".wasm": "application/wasm"}

    def __init__(self, *args):
        super().__init__(*args, directory=str(DIST))

    def send_response(self, code, message=None):
        self.found = code in (200, 304)
        super().send_response(code, message)

    def end_headers(self):
        for name, value in self.headers_of(self.path.partition("?")[0], self.found).items():
            self.send_header(name, value)
        super().end_headers()

    @staticmethod
    def headers_of(path: str, found: bool) -> dict[str, str]:
        """What any server of the page should send as well."""
        return {
            "Content-Security-Policy": policy(),
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            # Everything here is public; a frame in a sandbox has an origin of its own and may load it only then.
            "Access-Control-Allow-Origin": "*",
            # A rebuilt page must show at the next reload.
            "Cache-Control": "public, max-age=31536000, immutable" if found and HASHED.search(path) else "no-cache",
        }

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
