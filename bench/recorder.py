"""A server that records requests, and what of a request is compared with that of another tool, for bench/imports and bench/imports-beside."""
import json, re, threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# What a tool adds by itself: a header with this value, or with any value for None.
ADDED = {
    "curl": {"user-agent": "curl/", "accept": "*/*", "content-length": None},
    "vegeta": {"user-agent": "Go-http-client/1.1", "accept-encoding": "gzip", "content-length": None, "x-vegeta-seq": None},
    "newman": {"user-agent": "PostmanRuntime/", "accept": "*/*", "cache-control": "no-cache", "postman-token": None,
               "accept-encoding": "gzip, deflate, br", "connection": "keep-alive", "content-length": None, "cookie": "sid="},
    "httpyac": {"user-agent": "httpyac", "accept": "*/*", "accept-encoding": "gzip, deflate, br", "connection": "keep-alive",
                "content-length": None, "cookie": "sid="},
    "prony": {"user-agent": "prony/", "accept": "*/*", "content-length": None, "cookie": "sid="},
}


class Recorder(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self):
        if "chunked" in self.headers.get("Transfer-Encoding", ""):
            body = b""
            while (size := int(self.rfile.readline(), 16)) > 0:
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            length = int(self.headers.get("Content-Length") or 0)
            body = self.rfile.read(length) if length else b""
        self.server.seen.append({
            "method": self.command,
            # The path as it was sent: Python makes one slash of several.
            "path": self.requestline.split(" ")[1],
            "headers": [[name, value.encode("latin-1").decode("utf-8", "replace")] for name, value in self.headers.items()],
            "body": body.decode("utf-8", "replace"),
        })
        text = b'{"token": "t-123456789"}'
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Set-Cookie", "sid=abc123; Path=/")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(text)

    do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = do_PATCH = do_OPTIONS = answer

    def log_message(self, *_):
        pass


def start(port=0):
    """Starts a server on 127.0.0.1, which keeps what it was sent in `seen`."""
    server = ThreadingHTTPServer(("127.0.0.1", port), Recorder)
    server.daemon_threads, server.seen = True, []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def written(tool, request, host, origin=None):
    """The request without the headers that the tool adds by itself; `origin` is another name of the server."""
    def is_added(name, value):
        # curl expects a 100 for each file that -T uploads, which has no type.
        is_upload = name.lower() == "expect" and not any(other.lower() == "content-type" for other, _ in request["headers"])
        added = None if tool == "curl" and is_upload else ADDED[tool].get(name.lower(), "")
        return added is None or added != "" and value.startswith(added) or name.lower() == "host" and value in (host, origin)
    return {**request, "headers": [pair for pair in request["headers"] if not is_added(*pair)]}


def compared(tool, request, host, origin=None):
    """What of a request two tools have to send alike: boundaries are drawn, and the order of headers is free."""
    kept = written(tool, request, host, origin)
    text = json.dumps([kept["method"], kept["path"], sorted([name.lower(), value] for name, value in kept["headers"]), kept["body"]],
                      ensure_ascii=False)
    boundary = re.search(r'boundary=\\?"?([^;"\\]+)', text)
    return text.replace(boundary.group(1), "BOUNDARY") if boundary else text
