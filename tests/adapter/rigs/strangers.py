"""strangers.py: a service on loopback that does what it is told by its paths, and remembers what it was sent."""
import contextlib
import gzip
import http.server
import json
import select
import threading


class Stranger(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def play(self):
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        self.server.seen.append((self.command, self.path, dict(self.headers), body))
        name = self.path.split("?")[0].strip("/").split("/")[0]
        getattr(self, "do_" + name, self.nothing)(body)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = play

    def nothing(self, _):
        self.answer(404, b"{}")

    # ---- what it does ----

    def do_echo(self, _):
        self.answer(200, str(dict(self.headers)).encode(), Content_Type="text/plain")

    def do_busy(self, _):
        """Twice it is too busy, then it answers. How long it wants to be left alone may change each time."""
        n = len([one for one in self.server.seen if one[1].startswith("/busy")])
        asked = self.server.retry_after
        self.answer(429 if n < 3 else 200, b'{"data": {"n": %d}}' % n,
                    Retry_After=asked if isinstance(asked, str) else asked[min(n, len(asked)) - 1],
                    Content_Type="application/json")

    def do_head(self, _):
        """Too much before it begins: of a head, of headers, or by what it says of its body."""
        what = self.path.rpartition("/")[2]
        more = {"long": [(f"X-{n}", "x" * 8000) for n in range(40)], "many": [(f"X-{n}", "x") for n in range(1100)],
                "body": [("Content-Length", str(11 << 20))]}[what]
        self.send_response(200)
        for name, value in more:
            self.send_header(name, value)
        with contextlib.suppress(OSError):
            self.end_headers()
        self.close_connection = True

    def do_leaves(self, _):
        """It takes what it is sent, tells where to look for it, and is not there any more."""
        self.server.shutdown()
        self.server.socket.close()
        self.answer(303, Location="/echo", Connection="close")

    def do_number(self, _):
        """An id as databases have them: no double holds it."""
        self.answer(201, b'{"data": {"id": 9007199254740993}}', Content_Type="application/json")

    def do_torn(self, _):
        """It says that it is JSON, and is not; as /torn/lines: it says what it is."""
        lines = self.path.endswith("lines")
        self.answer(200, b'{"n": 1}\n{"n": 2}\n', Content_Type="application/x-ndjson" if lines else "application/json; charset=utf-8")

    def do_packed(self, _):
        """Packed, though nobody asked for it: /packed/HOW/BYTES."""
        _, how, n = self.path.strip("/").split("/")
        text = b'{"data": "%s"}' % (b"x" * int(n))
        body = b"".join(gzip.compress(part) for part in ([text[:99], text[99:]] if how == "twice" else [text]))
        body = body[:-8] if how == "short" else body
        self.answer(200, body if how != "wrong" else body[:9] + b"?" * 30, Content_Type="application/json",
                    Content_Encoding="unheard-of" if how == "other" else "gzip")

    def do_mcp(self, body):
        """An MCP server that lists its tools, and hangs up when one is called."""
        asked = json.loads(body or b"{}")
        answers = {"initialize": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                                  "serverInfo": {"name": "stranger", "version": "1"}},
                   "tools/list": {"tools": [{"name": name, "inputSchema": {"type": "object"}, "annotations": hints}
                                            | self.server.more.get(name, {}) for name, hints in self.server.tools.items()]}}
        if asked.get("method") == "tools/call":
            self.server.called.append(asked["params"]["name"])
            self.close_connection = True
        elif "id" not in asked:
            self.answer(202 if asked else 405)
        else:
            found = answers.get(asked["method"])
            said = {"result": found} if found else {"error": {"code": -32601, "message": "what"}}
            self.answer(200, json.dumps({"jsonrpc": "2.0", "id": asked["id"]} | said).encode(),
                        Content_Type="application/json")

    def do_astray(self, body):
        """An MCP server that sends whoever calls a tool to the metadata address."""
        asked = json.loads(body or b"{}")
        if asked.get("method") == "tools/call":
            self.answer(307, Location="http://169.254.169.254/latest/meta-data/")
        else:
            self.do_mcp(body)

    def do_shut(self, _):
        """Nobody is let in; the path says with which status."""
        self.answer(int(self.path.rsplit("/", 1)[1]), b'{"error": "invalid_token"}', Content_Type="application/json")

    def do_locked(self, body):
        """The MCP server of `said`, for who brings the token."""
        if self.headers.get("Authorization") == "Bearer " + self.server.token_wanted:
            self.do_said(body)
        else:
            self.answer(401)

    def do_cut(self, body):
        """An MCP server with sessions. It takes a call, ends the stream and forgets; `slow`: or wants to be asked late."""
        asked = json.loads(body or b"{}")
        if asked.get("method") == "initialize":
            said = {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "cut", "version": "1"}}
            self.answer(200, json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": said}).encode(),
                        Mcp_Session_Id="one", Content_Type="application/json")
        elif asked.get("method") == "tools/call":
            self.server.called.append(asked["params"]["name"])
            wait = 3600000 if self.path.endswith("slow") else 1
            self.answer(200, b"id: 7\nretry: %d\ndata:\n\n" % wait, Content_Type="text/event-stream")
        elif asked.get("method") == "tools/list":
            self.do_mcp(body)
        else:
            self.answer(404 if self.command == "GET" or "id" in asked else 202)

    def do_away(self, body):
        """The same, which is away when its stream is asked for again, twice, and then has the answer; `gone`: never."""
        asked, again = json.loads(body or b"{}"), [one for one in self.server.seen if "Last-Event-ID" in one[2]]
        if asked.get("method") == "tools/call":
            self.server.answers = asked["id"]
        if "Last-Event-ID" not in self.headers:
            self.do_cut(body)
        elif len(again) < 3 or self.path.endswith("gone"):
            self.close_connection = True
        else:
            said = {"jsonrpc": "2.0", "id": self.server.answers, "result": {"content": [{"type": "text", "text": "here"}]}}
            self.answer(200, b"data: %s\n\n" % json.dumps(said).encode(), Content_Type="text/event-stream")

    def do_said(self, body):
        """An MCP server with sessions whose answers to calls are up to the test: a status, and members of a message."""
        asked = json.loads(body or b"{}")
        method, said = asked.get("method"), {"capabilities": {}, "serverInfo": {"name": "said", "version": "1"}}
        if method == "initialize" and self.server.busy:
            status, *headers = self.server.busy.pop(0)
            self.answer(status, **dict(*headers))
        elif method == "initialize":
            self.server.sessions += 1
            self.answer(200, json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": said | {
                "protocolVersion": "2025-11-25"}}).encode(), Mcp_Session_Id="one", Content_Type="application/json")
        elif method == "tools/call":
            self.server.called.append(asked["params"]["name"])
            status, members, *headers = self.server.said()
            self.answer(status, json.dumps({"jsonrpc": "2.0", "id": asked["id"]} | members).encode(),
                        Content_Type="application/json", **dict(*headers))
        else:
            self.do_mcp(body)

    def do_pings(self, body):
        """An MCP server that asks and asks while it answers a call, or `beside` it, and takes no answer."""
        asked, beside = json.loads(body or b"{}"), self.path.endswith("beside")
        called = asked.get("method") == "tools/call"
        if (self.command == "GET") if beside else called:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            with contextlib.suppress(OSError):
                self.wfile.write(b'data: {"jsonrpc": "2.0", "id": 1, "method": "ping"}\n\n' * 20000)
                self.server.over.wait(60)
            self.close_connection = True
        elif called:
            said = {"jsonrpc": "2.0", "id": asked["id"], "result": {"content": []}}
            self.answer(200, json.dumps(said).encode(), Content_Type="application/json")
        elif "result" in asked:
            self.server.over.wait(60)
        else:
            self.do_mcp(body)

    def do_deaf(self, body):
        """An MCP server that does not answer a notification, and tells who gave it up first."""
        asked = json.loads(body or b"{}")
        if asked.get("method") == "notifications/initialized":
            gone = select.select([self.connection], [], [], 4)[0]
            self.server.called.append("the caller" if gone else "the server")
            self.close_connection = True
        elif asked.get("method") == "tools/call":
            said = {"jsonrpc": "2.0", "id": asked["id"], "result": {"content": []}}
            self.answer(200, json.dumps(said).encode(), Content_Type="application/json")
        else:
            self.do_mcp(body)

    def do_bare(self, body):
        """An MCP server that answers a call with neither a result nor an error, in a stream that goes on."""
        asked = json.loads(body or b"{}")
        if asked.get("method") != "tools/call":
            self.do_mcp(body)
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        self.wfile.write(b'data: {"jsonrpc": "2.0", "id": %d}\n\n' % asked["id"])
        self.server.over.wait(60)
        self.close_connection = True

    def do_token(self, _):
        """A token endpoint: RFC 6749, 4.4.3."""
        self.answer(200, json.dumps(self.server.token).encode(), Content_Type="application/json")

    def do_later(self, body):
        """A token endpoint that wants to be asked once more."""
        if len([one for one in self.server.seen if one[1] == "/later"]) > 1:
            self.do_token(body)
        else:
            self.answer(429, b'{"error": "slow_down"}', Content_Type="application/json", Retry_After="0")

    def do_late(self, body):
        """A token endpoint that takes its time."""
        self.server.over.wait(3)
        self.do_token(body)

    def do_refuse(self, _):
        """A token endpoint that repeats what it was sent."""
        said = {"error": "invalid_request", "error_description": self.headers["Authorization"]}
        self.answer(400, json.dumps(said).encode(), Content_Type="application/json")

    def do_repeat(self, _):
        self.answer(200, self.server.words.encode(), Content_Type="text/plain")

    def do_angry(self, _):
        """It tells why, with what it was sent, and at length."""
        why = json.dumps({"why": "no " + self.headers.get("Authorization", "")[len("Bearer "):], "more": "x" * 1000})
        self.answer(400, why.replace(", ", ",\n").encode(), Content_Type="application/problem+json")

    def do_broken(self, _):
        self.answer(500, b"it went wrong")

    def do_silent(self, _):
        self.server.over.wait(60)

    def do_half(self, _):
        self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhalf of it")
        self.wfile.flush()
        self.close_connection = True

    def do_garbage(self, _):
        self.wfile.write(b"\x00\x01 this is no HTTP\r\n\r\n")
        self.close_connection = True

    def do_flood(self, _):
        """A gigabyte, or as much of it as somebody takes."""
        self.send_response(200)
        self.send_header("Content-Length", str(1 << 30))
        self.end_headers()
        with contextlib.suppress(OSError):
            for _ in range(1 << 14):
                self.wfile.write(b"x" * 65536)
        self.close_connection = True

    def do_drip(self, _):
        self.send_response(200)
        self.send_header("Content-Length", "100000")
        self.end_headers()
        with contextlib.suppress(OSError):
            while not self.server.over.wait(0.05):
                self.wfile.write(b"x")
                self.wfile.flush()

    def do_metadata(self, _):
        self.answer(302, Location="http://169.254.169.254/latest/meta-data/")

    def do_elsewhere(self, _):
        self.answer(302, Location=f"http://localhost:{self.server.server_port}/echo")

    def do_here(self, _):
        self.answer(302, Location="/echo")

    def do_circle(self, _):
        self.answer(302, Location="/circle")


@contextlib.contextmanager
def stranger(tools=None, host="127.0.0.1"):
    """`tools`: those of its MCP server, with their annotations."""
    server = http.server.ThreadingHTTPServer((host, 0), Stranger)
    server.daemon_threads, server.seen, server.over = True, [], threading.Event()
    server.tools, server.more, server.called = tools or {"hang_up": {}}, {}, []
    server.retry_after, server.sessions, server.busy = "0", 0, []
    server.token = {"access_token": "t0ken-of-a-stranger", "token_type": "bearer"}
    server.url = f"http://{host}:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server
    finally:
        server.over.set()
        server.shutdown()
        server.server_close()
