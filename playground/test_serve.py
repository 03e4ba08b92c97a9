"""What serve.py sends."""
import contextlib
import http.client
import http.server
import pathlib
import shutil
import tempfile
import threading
import unittest

import serve

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent


class Headers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with contextlib.ExitStack() as stack:
            folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory()))
            shutil.copy(REPOSITORY / "index.html", folder)
            for name in ("app-0123456789abcdef.js", "app-0123456789abcdef_bg.wasm", "app-0123456789abcdef.css", "boot.js"):
                (folder / name).write_text("")
            built, serve.DIST = serve.DIST, folder
            stack.callback(setattr, serve, "DIST", built)
            server = stack.enter_context(http.server.ThreadingHTTPServer((serve.HOST, 0), serve.Page))
            threading.Thread(target=server.serve_forever, daemon=True).start()
            stack.callback(server.shutdown)
            cls.port = server.server_port
            cls.addClassCleanup(stack.pop_all().close)

    def headers(self, path, status=200):
        connection = http.client.HTTPConnection(serve.HOST, self.port)
        self.addCleanup(connection.close)
        connection.request("GET", path)
        response = connection.getresponse()
        response.read()
        self.assertEqual(response.status, status, path)
        return response.headers

    def test_the_policy_is_that_of_the_page_and_lets_it_be_embedded(self):
        page = (REPOSITORY / "index.html").read_text(encoding="utf-8")
        for path in ("/", "/boot.js", "/?embed=1"):
            sent = self.headers(path)["Content-Security-Policy"]
            meta, ancestors = sent.rsplit("; ", 1)
            self.assertIn(f'content="{meta}"', page)
            self.assertIn("default-src 'none'", meta)
            self.assertEqual(ancestors, "frame-ancestors *")

    def test_only_what_has_a_hash_in_its_name_is_kept(self):
        for path in ("/app-0123456789abcdef.js", "/app-0123456789abcdef_bg.wasm", "/app-0123456789abcdef.css"):
            self.assertEqual(self.headers(path)["Cache-Control"], "public, max-age=31536000, immutable", path)
        for path in ("/", "/index.html", "/boot.js", "/boot.js?app-0123456789abcdef.js"):
            self.assertEqual(self.headers(path)["Cache-Control"], "no-cache", path)
        self.assertEqual(self.headers("/app-ffffffffffffffff.js", 404)["Cache-Control"], "no-cache")

    def test_types_are_what_browsers_insist_on(self):
        types = {"/": "text/html", "/boot.js": "text/javascript", "/app-0123456789abcdef.css": "text/css",
                 "/app-0123456789abcdef_bg.wasm": "application/wasm"}
        for path, expected in types.items():
            headers = self.headers(path)
            self.assertEqual(headers.get_content_type(), expected, path)
            self.assertEqual(headers["X-Content-Type-Options"], "nosniff", path)
            self.assertEqual(headers["Referrer-Policy"], "no-referrer", path)


if __name__ == "__main__":
    unittest.main()
