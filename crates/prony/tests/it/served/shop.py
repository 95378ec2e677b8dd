"""A shop with a login. It takes only what a client has got from it in the same session: the hidden field of the form, the token, and the id of an
item. shop.py PORT_FILE [PEM]: with a file that holds a key and its certificate it speaks TLS."""
import http.server, json, secrets, ssl, sys
from urllib.parse import parse_qs

LOGIN = """<!doctype html><link rel="icon" href="data:,"><link rel="stylesheet" href="/style.css"><form method="post" action="/login">
<input type="hidden" name="_csrf" value="%s"><input name="user"><input type="password" name="password"><button>Log in</button></form>"""
HOME = """<!doctype html><link rel="icon" href="data:,"><script src="/app.js" defer></script><h1>Shop</h1>"""
SCRIPT = """(async () => {
  const {token} = await (await fetch("/api/token")).json();
  const headers = {"Authorization": "Bearer " + token, "Content-Type": "application/json"};
  const {items} = await (await fetch("/api/items?page=1", {headers})).json();
  document.body.insertAdjacentHTML("beforeend", "<ul id=items></ul><button id=order>Order</button>");
  document.querySelector("#order").onclick = async () => {
    const body = JSON.stringify({itemId: items[1].id, count: 1, note: null});
    const made = await fetch("/api/orders", {method: "POST", headers, body});
    if (made.status == 201) document.body.insertAdjacentHTML("beforeend", "<p id=done>done</p>");
  };
})();"""
sessions = {}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status, body=b"", kind="text/html", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def json(self, status, value):
        self.answer(status, json.dumps(value).encode(), "application/json")

    def session(self):
        cookies = dict(pair.strip().split("=", 1) for pair in self.headers.get("Cookie", "").split(";") if "=" in pair)
        return sessions.get(cookies.get("SID"), {})

    def is_authorized(self):
        token = self.session().get("token")
        return token and self.headers.get("Authorization") == "Bearer " + token

    def do_GET(self):
        path = self.path.split("?")[0]
        if path == "/login":
            sid, csrf = secrets.token_hex(8), secrets.token_hex(8)
            sessions[sid] = {"csrf": csrf}
            return self.answer(200, (LOGIN % csrf).encode(), Set_Cookie=f"SID={sid}; Path=/; HttpOnly")
        if path == "/style.css":
            return self.answer(200, b"body { margin: 2em }", "text/css")
        if path == "/app.js":
            return self.answer(200, SCRIPT.encode(), "text/javascript")
        if path == "/home" and self.session().get("user"):
            return self.answer(200, HOME.encode())
        if path == "/api/token" and self.session().get("user"):
            self.session()["token"] = secrets.token_urlsafe(16)
            return self.json(200, {"token": self.session()["token"]})
        if path == "/api/items" and self.is_authorized():
            ids = self.session()["ids"] = [secrets.randbelow(10**9), secrets.randbelow(10**9)]
            return self.json(200, {"items": [{"id": one, "name": "thing"} for one in ids]})
        self.answer(403)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        session = self.session()
        if self.path == "/login":
            form = parse_qs(body)
            right = form.get("_csrf") == [session.get("csrf")] and form.get("password") == ["s3cret!"]
            if not right:
                return self.answer(403)
            session["user"] = form["user"][0]
            return self.answer(302, Location="/home")
        if self.path == "/api/orders" and self.is_authorized() and json.loads(body)["itemId"] in session["ids"]:
            return self.json(201, {"ok": True})
        self.answer(403)

    def log_message(self, *words):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
if len(sys.argv) > 2:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[2])
    server.socket = context.wrap_socket(server.socket, server_side=True)
with open(sys.argv[1], "w") as file:
    file.write(f"{server.server_address[1]}\n")
server.serve_forever()
