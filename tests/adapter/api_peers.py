#!/usr/bin/env python3
"""api_peers: calls of api adapters to servers that others wrote: json-server, prism, oauth2-mock-server.

usage: api_peers.py CALL_API WRIT_HTTP WRIT      prints TAP

The adapters for prism are imported from the very document that prism serves.
"""
import http.server
import json
import pathlib
import subprocess
import sys
import threading

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "faces"), str(HERE / "rigs")]
import peers  # noqa: E402
import tap  # noqa: E402

CALL, HTTP, WRIT = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:4])
CASES = []
SECONDS = 120
SECRET = "planted/secret+42"
FRAME = {"version": "1.0.0", "type": "api", "metadata": {"author": "x", "created": "2026-01-16",
                                                         "updated": "2026-01-16", "status": "active"}}


def case(function):
    """One whose peer is not installed is skipped, and says so."""
    def played(place):
        try:
            function(place)
        except peers.Missing as why:
            raise tap.Skip(str(why)) from why

    played.__doc__ = function.__name__
    CASES.append(played)


def adapter(directory, url, endpoints, **api):
    """Writes an adapter for a server on loopback; `auth_hosts` are reached, too."""
    hosts = [url.split("/")[2], *api.pop("auth_hosts", [])]
    secrets = api.pop("secrets", [])
    made = FRAME | {"adapter_id": "peer", "name": "peer", "tool_id": "peer", "secrets": secrets,
                    "interface": {"api": {"base_url": url, "endpoint_mapping": endpoints} | api},
                    "sandbox_override": {"network": {"enabled": True, "allow": hosts}}}
    path = pathlib.Path(directory) / "adapter.json"
    path.write_text(json.dumps(made))
    return path


def call(path, operation, times=1, env=None, **params):
    """What call_api says of each call."""
    done = subprocess.run([CALL, HTTP, path, operation, json.dumps(params), str(times)], capture_output=True,
                          text=True, timeout=SECONDS, env=tap.ENV | (env or {}))
    if done.returncode:
        raise RuntimeError(done.stderr)
    for form in (SECRET, "planted%2Fsecret%2B42"):
        if form in done.stdout + done.stderr:
            raise RuntimeError(f"a secret was printed: {done.stdout}{done.stderr}")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return lines[0] if times == 1 else lines


def same(got, want):
    if got != want:
        raise AssertionError(f"{got!r} is not {want!r}")


def imported(directory, document, url, **options):
    """The adapter that `writ adapters import openapi` makes; the document says where the server is."""
    made = pathlib.Path(directory) / "made.yaml"
    words = [word for name, value in options.items() for word in (f"--{name}", value)]
    done = subprocess.run([WRIT, "adapters", "import", "openapi", str(document), "-o", str(made), *words],
                          capture_output=True, text=True, timeout=SECONDS, env=tap.ENV)
    if done.returncode:
        raise RuntimeError(done.stderr)
    made.write_text(made.read_text().replace("http://127.0.0.1:1", url).replace('"127.0.0.1:1"', f'"{url.split("/")[2]}"'))
    return made


# ---- json-server ----

ENDPOINTS = {"list": "GET /things", "get": "GET /things/{id}", "make": "POST /things", "put": "PUT /things/{id}",
             "mend": "PATCH /things/{id}", "drop": "DELETE /things/{id}"}


@case
def R_001_090_R_001_093_things_are_made_read_changed_and_removed(place):
    with peers.json_server({"things": [{"id": "1", "name": "one"}]}) as peer:
        path = adapter(place, peer.url, ENDPOINTS)
        same(json.loads(call(path, "list")["body"]), [{"id": "1", "name": "one"}])
        made = call(path, "make", id="a b", name="ä\n\"x\"")
        same((made["status"], json.loads(made["body"])), (201, {"id": "a b", "name": "ä\n\"x\""}))
        same(json.loads(call(path, "get", id="a b")["body"])["name"], "ä\n\"x\"")
        same(json.loads(call(path, "mend", id="1", more=[1, None])["body"]),
             {"id": "1", "name": "one", "more": [1, None]})
        same(json.loads(call(path, "put", id="1", name="two")["body"]), {"id": "1", "name": "two"})
        same([x["id"] for x in json.loads(call(path, "list", id=["1", "zz"])["body"])], ["1"])
        same([x["id"] for x in json.loads(call(path, "list", name="two")["body"])], ["1"])
        same(call(path, "drop", id="1")["status"], 200)
        gone = call(path, "get", id="1")
        same((gone["status"], gone["body"]), (404, "{}"))


@case
def a_path_value_stays_in_its_place(place):
    with peers.json_server({"things": [{"id": "1"}], "db": [{"id": "9"}]}) as peer:
        path = adapter(place, peer.url, ENDPOINTS)
        same(call(path, "get", id="..")["code"], "PARAMETER_REFUSED")
        same(call(path, "get", id="../db")["code"], "PARAMETER_REFUSED")
        same(call(path, "get", id="1?x=1#y")["status"], 404)
        same(call(path, "get", id="1/2")["status"], 404)


# ---- prism ----

DOCUMENT = {
    "openapi": "3.0.3", "info": {"title": "Mocked", "version": "1"}, "servers": [{"url": "http://127.0.0.1:1"}],
    "security": [{"token": []}],
    "paths": {
        "/pets": {
            "get": {"operationId": "list", "parameters": [
                {"name": "limit", "in": "query", "required": True, "schema": {"type": "integer", "maximum": 9}},
                {"name": "tag", "in": "query", "schema": {"type": "array", "items": {"type": "string"}}},
                {"name": "Prefer", "in": "header", "schema": {"type": "string"}}],
                "responses": {
                    "200": {"description": "ok", "content": {"application/json": {"example": [{"id": 1}]}}},
                    "429": {"description": "wait", "headers": {"Retry-After": {"schema": {"type": "integer"},
                                                                              "example": 3}}}}},
            "post": {"operationId": "create", "requestBody": {"required": True, "content": {"application/json": {
                "schema": {"type": "object", "required": ["name"], "additionalProperties": False,
                           "properties": {"name": {"type": "string", "minLength": 2}}}}}},
                "responses": {"201": {"description": "made", "content": {"application/json": {
                    "example": {"id": 2}}}}}}}},
    "components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}}}
ENV = {"MOCKED_TOKEN": SECRET}


def mocked(place):
    path = pathlib.Path(place) / "api.json"
    path.write_text(json.dumps(DOCUMENT))
    return path


@case
def R_001_091_an_imported_adapter_calls_with_its_token(place):
    document = mocked(place)
    with peers.prism(document) as peer:
        path = imported(place, document, peer.url)
        got = call(path, "list", env=ENV, limit=5, tag=["a", "b c"])
        same((got["status"], json.loads(got["body"])), (200, [{"id": 1}]))
        same(got["shown"].split("?")[1], "limit=..&tag=..&tag=..")
        same(call(path, "create", env=ENV, name="Rex")["status"], 201)


@case
def R_001_091_a_secret_that_is_not_there_is_told_and_nothing_is_sent(place):
    path = imported(place, mocked(place), "http://127.0.0.1:1")
    got = call(path, "list", limit=5)
    same((got["code"], "MOCKED_TOKEN" in got["message"]), ("SECRET_MISSING", True))


@case
def a_call_without_a_token_is_answered_with_401(place):
    document = mocked(place)
    with peers.prism(document) as peer:
        path = adapter(place, peer.url, {"list": "GET /pets"})
        same(call(path, "list", limit=5)["status"], 401)


@case
def what_the_service_finds_wrong_is_answered_with_422(place):
    document = mocked(place)
    with peers.prism(document) as peer:
        path = imported(place, document, peer.url)
        got = call(path, "list", env=ENV, limit="many")
        same((got["status"], json.loads(got["body"])["status"]), (422, 422))
        same(call(path, "create", env=ENV, name="x")["status"], 422)


@case
def R_001_110_429_comes_with_the_time_to_wait(place):
    document = mocked(place)
    with peers.prism(document) as peer:
        path = imported(place, document, peer.url)
        got = call(path, "list", env=ENV, limit=1, Prefer="code=429")
        same((got["status"], got["retry_after_ms"]), (429, 3000))


# ---- oauth2-mock-server ----

class Guarded(http.server.BaseHTTPRequestHandler):
    """Refuses every second call, as if its token had been called back meanwhile."""
    protocol_version = "HTTP/1.1"
    seen = []

    def do_GET(self):
        token = self.headers.get("Authorization", "")
        self.seen.append(token)
        good = token.startswith("Bearer ey") and len(self.seen) % 2 == 1
        self.send_response(200 if good else 401)
        if not good:
            self.send_header("WWW-Authenticate", 'Bearer error="invalid_token"')
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_):
        pass


class Service:
    def __enter__(self):
        Guarded.seen = []
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Guarded)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


def guarded(place, service, issuer, **auth):
    return adapter(place, service, {"get": "GET /x"}, auth_method="oauth", auth_hosts=[issuer.split("/")[2]],
                   secrets=[{"name": "word", "env": "WORD"}],
                   auth={"token_url": issuer + "/token", "client_id": "me", "client_secret": "word",
                         "scope": "all of it"} | auth)


@case
def R_001_091_a_token_is_had_kept_and_renewed_when_it_was_called_back(place):
    with peers.oauth2() as issuer, Service() as service:
        path = guarded(place, service, issuer.url)
        first, second, third = call(path, "get", times=3, env={"WORD": SECRET})
        same((first["status"], first["kept"], first["renewed"]), (200, False, False))
        same((second["status"], second["kept"], second["renewed"]), (200, True, True))
        same((third["status"], third["kept"], third["renewed"]), (200, True, True))
        same(len(Guarded.seen), 5)  # each was sent, and once more when it was refused


@case
def a_token_endpoint_that_refuses_is_told_without_secrets(place):
    with peers.oauth2() as issuer, Service() as service:
        path = guarded(place, service, issuer.url, token_url=issuer.url + "/nowhere")
        got = call(path, "get", env={"WORD": SECRET})
        same((got["code"], "status 404" in got["message"]), ("PEER_ERROR", True))
        same(Guarded.seen, [])


@case
def a_token_endpoint_that_is_not_allowed_is_not_asked(place):
    with peers.oauth2() as issuer, Service() as service:
        path = adapter(place, service, {"get": "GET /x"}, auth_method="oauth",
                       secrets=[{"name": "word", "env": "WORD"}],
                       auth={"token_url": issuer.url + "/token", "client_id": "me", "client_secret": "word"})
        same(call(path, "get", env={"WORD": SECRET})["code"], "HOST_REFUSED")


if __name__ == "__main__":
    sys.exit(tap.play(CASES))
