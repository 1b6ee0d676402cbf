#!/usr/bin/env python3
"""services: adapters of the kind api, against real services of others and against a stranger that misbehaves.

usage: services.py RUN_PLAN WRIT      prints TAP
"""
import base64
import http.server
import json
import sys
import threading
import time
import urllib.parse

import toolshed
from toolshed import SECRET, adapter, hold, missing, plan, plans, retry, same, step, tool, true

import peers
import strangers

CASES = []
case = toolshed.collector(CASES)
NETWORK = {"timeout_ms": 5000, "network": {"enabled": True, "allow": ["127.0.0.1"]}}
TOKEN = [{"name": "token", "env": "MY_TOKEN"}]


def api(name, url, endpoints, auth="none", **members):
    interface = {"base_url": url, "auth_method": auth, "endpoint_mapping": endpoints}
    interface |= members.pop("interface", {})
    return adapter(name, "api", interface, **({"sandbox_override": NETWORK} | members))


def service(name, **scope):
    return tool(name, commands=[], network="api", **scope)


def stock(place, *adapters):
    place.stock(*adapters, tools=[service(one["name"]) for one in adapters])


def of_stranger(function):
    def play(place):
        with strangers.stranger() as server:
            names = ("echo", "busy", "broken", "silent", "half", "garbage", "flood", "drip", "metadata", "elsewhere",
                     "here", "circle", "angry")
            stock(place, api("s", server.url, {name: f"GET /{name}" for name in names} | {"send": "POST /busy"},
                             auth="bearer", secrets=TOKEN, interface={"auth": {"secret": "token"}},
                             errors=retry(4, 429)))
            place.server, place.given = server, {"MY_TOKEN": SECRET}
            function(place)
    play.__name__ = function.__name__
    return play


@case
def R_001_091_a_parameter_does_not_take_the_place_of_the_secret(place):
    with strangers.stranger() as server:
        for auth, own, given, other in (
                ("bearer", {}, {"in": "header", "name": "authorization"}, {"in": "query", "name": "Authorization"}),
                ("api_key", {}, {"in": "header", "name": "X-Api-Key"}, {"in": "header", "name": "X-Other"}),
                ("api_key", {"in": "query", "name": "key"}, {"in": "query", "name": "key"}, {"in": "header", "name": "key"}),
                ("api_key", {"in": "cookie", "name": "key"}, {"in": "cookie", "name": "key"}, {"in": "query", "name": "key"})):
            stock(place, api("s", server.url, {"echo": "GET /echo"}, auth=auth, secrets=TOKEN,
                             interface={"auth": {"secret": "token"} | own},
                             operations={"echo": {"parameters": {"mine": given, "other": other}}}))
            before, env = len(server.seen), {"MY_TOKEN": SECRET}
            run = place.fails(64, "PARAMETER_REFUSED", "s.echo", "mine=x", env=env, told=["'mine' has the place of the secret"])
            same((len(server.seen), len(run.record["attempts"])), (before, 1))
            place.fine("s.echo", "other=x", env=env)


@case
def a_secret_beyond_ascii_goes_to_no_header_as_it_is(place):
    with strangers.stranger() as server:
        for auth, own, goes in (("bearer", {}, False), ("api_key", {}, False), ("api_key", {"in": "query", "name": "k"}, True),
                                ("api_key", {"in": "cookie", "name": "k"}, True), ("basic", {"user": "ada"}, True)):
            stock(place, api("s", server.url, {"echo": "GET /echo"}, auth=auth, secrets=TOKEN,
                             interface={"auth": {"secret": "token"} | own}))
            before, env = len(server.seen), {"MY_TOKEN": "t\u00f6ken-of-mine"}
            if goes:
                place.fine("s.echo", env=env)
            else:
                place.fails(77, "SECRET_MISSING", "s.echo", env=env, told=["beyond ASCII"])
            same(len(server.seen), before + goes)


# ---- real ones ----

@case
@missing
def R_001_090_R_001_093_json_server_is_read_and_written(place):
    with peers.json_server({"things": [{"id": 1, "name": "one"}]}) as peer:
        stock(place, api("things", peer.url, {"list": "GET /things", "get": "GET /things/{id}", "add": "POST /things",
                                              "change": "PATCH /things/{id}", "drop": "DELETE /things/{id}"}))
        same(place.fine("things.list"), [{"id": 1, "name": "one"}])
        same(place.fine("things.add", "name=two")["name"], "two")
        same(place.fine("things.list", "name=two"), [{"name": "two", "id": 2}])
        same(place.fine("things.change", "id:=2", "name=other")["name"], "other")
        place.fine("things.drop", "id:=1")
        run = place.fails(1, "PEER_ERROR", "things.get", "id:=1", told=["404"])
        same(run.record["attempts"][0]["status"], 404)
        for value in ("..", "a/b", "?x=1", "%2e%2e"):
            run = place.call("things.get", f"id={value}")
            hold(run.status in (1, 64), run)


@case
@missing
def R_001_091_a_token_is_had_with_client_credentials_and_sent(place):
    with peers.oauth2() as peer, strangers.stranger() as server:
        stock(place, api("o", server.url, {"echo": "GET /echo"}, auth="oauth",
                         secrets=[{"name": "id", "env": "ID"}, {"name": "secret", "env": "MY_TOKEN"}],
                         interface={"auth": {"token_url": peer.url + "/token", "client_id": "id",
                                             "client_secret": "secret", "scope": "things"}}))
        place.fine("o.echo", env={"ID": "me-and-you", "MY_TOKEN": SECRET})
        sent = server.seen[-1][2]["Authorization"]
        true(sent.startswith("Bearer ey"), sent)  # a JSON Web Token
        true(SECRET not in sent, "the client's secret goes to the token's host alone")


@case
@missing
def R_001_091_R_001_111_prism_answers_401_422_and_429(place):
    document = place.put("outside/pets.yaml", json.dumps(PETS))
    with peers.prism(document) as peer:
        bare = api("bare", peer.url, {"pet": "GET /pets/{id}"})
        known = api("known", peer.url, {"pet": "GET /pets/{id}"}, auth="bearer", secrets=TOKEN,
                    interface={"auth": {"secret": "token"}})
        busy = api("busy", peer.url, {"pet": "GET /pets/{id}"}, auth="bearer", secrets=TOKEN,
                   interface={"auth": {"secret": "token"}, "headers": {"Prefer": "code=429"}}, errors=retry(3, 429))
        stock(place, bare, known, busy)
        env = {"MY_TOKEN": SECRET}
        same(place.fails(1, "PEER_ERROR", "bare.pet", "id:=1").record["attempts"][0]["status"], 401)
        same(place.fine("known.pet", "id:=1", env=env), {"id": 7, "name": "Rex"})
        same(place.fails(1, "PEER_ERROR", "known.pet", "id=no-number", env=env).record["attempts"][0]["status"], 422)
        run = place.fails(1, "PEER_ERROR", "busy.pet", "id:=1", env=env)
        same([attempt["status"] for attempt in run.record["attempts"]], [429] * 3)


PETS = {
    "openapi": "3.0.0", "info": {"title": "pets", "version": "1"},
    "components": {"securitySchemes": {"b": {"type": "http", "scheme": "bearer"}}},
    "paths": {"/pets/{id}": {"get": {
        "operationId": "pet", "security": [{"b": []}],
        "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}],
        "responses": {
            "200": {"description": "ok", "content": {"application/json": {"example": {"id": 7, "name": "Rex"}}}},
            "401": {"description": "who"}, "422": {"description": "what"},
            "429": {"description": "busy", "headers": {"Retry-After": {"schema": {"type": "integer", "example": 0}}}}}}}}}


# ---- a stranger ----

@case
@of_stranger
def R_001_109_R_001_110_R_001_111_R_001_105_a_busy_service_is_asked_again(place):
    run = place.call("s.busy", env=place.given)
    hold(run.status == 0, run)
    same([attempt["status"] for attempt in run.record["attempts"]], [429, 429, 200])
    same(run.record["output"], {"data": {"n": 3}})
    place.recorded(run)
    limits = [entry["body"]["limits"] for entry in place.log("--kind", "manifest")]
    same(limits, [{"timeout_ms": 5000, "network": "api"}] * 3)  # what a service is held to, and no more


@case
def what_says_that_it_is_json_and_is_not_is_told(place):
    with strangers.stranger() as server:
        stock(place, api("s", server.url, {"torn": "GET /torn", "lines": "GET /torn/lines"}))
        run = place.call("s.torn")
        same((run.status, run.record["text"]), (0, '{"n": 1}\n{"n": 2}\n'))
        [warning] = run.record["warnings"]
        true(warning.startswith("the answer says that it is JSON, and is not: line 2, column 1: "), run)
        same(place.call("s.lines").record["warnings"], [])


@case
def R_001_105_R_001_106_a_number_that_no_double_holds_is_told_as_it_came(place):
    for transforms in ([], [("parse", "json")], [("extract", "$.data")], [("parse", "json"), ("extract", "/data")]):
        with strangers.stranger() as server:
            output = [{"type": kind, "spec": spec} for kind, spec in transforms]
            stock(place, api("s", server.url, {"make": "POST /number"}, transforms={"input": [], "output": output}))
            data = place.fine("s.make")
            same(data["id"] if ("extract", "$.data") in transforms or len(transforms) == 2 else data["data"]["id"],
                 9007199254740993)
            true(b"9007199254740993" in place.writ("call", "s.make").out, transforms)


@case
@of_stranger
def a_service_that_asks_for_more_patience_than_there_is_is_left_alone(place):
    for asked, told in (("61", "61 s"), ("86400", "86400 s"), ("Sun, 06 Nov 2094 08:49:37 GMT", " s,")):
        place.server.retry_after = asked
        place.server.seen.clear()
        begun = time.monotonic()
        run = place.fails(1, "PEER_ERROR", "s.busy", env=place.given,
                          told=["429", "not tried again: the service asks for ", told, "at most 60 s are waited"])
        same((len(run.record["attempts"]), len(place.server.seen)), (1, 1))
        true(time.monotonic() - begun < 20, "it waited")


@case
@of_stranger
def what_a_service_asks_for_is_waited_up_to_a_ceiling_in_all(place):
    place.server.retry_after = ["1", "60"]
    run = place.fails(1, "PEER_ERROR", "s.busy", env=place.given,
                      told=["429", "the service asks for 60 s, at most 60 s are waited in all, and 1 s were"])
    same((len(run.record["attempts"]), len(place.server.seen)), (2, 2))


@case
@of_stranger
def nothing_that_may_have_been_done_is_done_twice(place):
    run = place.call("s.broken", env=place.given)
    same((run.status, len(run.record["attempts"])), (1, 1))


@case
def who_cannot_be_reached_any_more_may_have_done_what_was_sent(place):
    back = {"fallback": {"adapter_id": "ADP-other", "condition": "unavailable"}}
    operations = {"change": {"effect": "write"}, "read": {"effect": "read"}}
    endpoints = {"post": "POST /leaves", "change": "GET /leaves", "get": "GET /leaves", "read": "POST /leaves"}
    for name, code, statuses in (("post", "PEER_PROTOCOL", [303]), ("change", "PEER_PROTOCOL", [303]),
                                 ("get", "PEER_UNAVAILABLE", [303, None]), ("read", "PEER_UNAVAILABLE", [303, None])):
        for more in ({}, back):
            with strangers.stranger() as server:
                stock(place, api("s", server.url, endpoints, operations=operations, errors=retry(2, 303) | more),
                      api("other", f"http://127.0.0.1:{peers.port()}", endpoints))
                run = place.call(f"s.{name}")
                other = [None] if more and code == "PEER_UNAVAILABLE" else []
                same((run.record["error"]["code"], [one.get("status") for one in run.record["attempts"]]),
                     (code, statuses + other))
                same(len(server.seen), 1)
                true(other or code == "PEER_UNAVAILABLE" or "the request was sent" in run.record["error"]["message"], run)


@case
def what_is_posted_and_sent_elsewhere_is_not_sent_again(place):
    with strangers.stranger() as server:
        stock(place, api("s", server.url, {"post": "POST /metadata"}, errors=retry(2, 302, 307)))
        run = place.fails(77, "HOST_REFUSED", "s.post")
        same((len(run.record["attempts"]), len(server.seen)), (1, 1))


@case
def what_is_posted_or_patched_is_sent_again_only_with_an_idempotency_key(place):
    keyed = {"in": "header", "name": "Idempotency-Key"}
    operations = {"post": {}, "patch": {}, "read": {"effect": "read"}, "change": {"effect": "write"},
                  "keyed": {"parameters": {"key": keyed}}, "blank": {"parameters": {"key": keyed}}}
    endpoints = {name: method + " /busy" for name, method in
                 (("post", "POST"), ("patch", "PATCH"), ("read", "POST"), ("change", "GET"), ("keyed", "POST"),
                  ("blank", "POST"), ("put", "PUT"))}
    for name, words, statuses, method in (
            ("post", (), [429], "POST"), ("patch", (), [429], "PATCH"), ("change", (), [429], "GET"),
            ("blank", ("key=",), [429], "POST"), ("read", (), [429, 429, 200], None),
            ("keyed", ("key=k1",), [429, 429, 200], None), ("put", (), [429, 429, 200], None)):
        with strangers.stranger() as server:
            stock(place, api("s", server.url, endpoints, operations=operations, errors=retry(4, 429, 503)))
            run = place.call(f"s.{name}", *words)
            same([attempt["status"] for attempt in run.record["attempts"]], statuses)
            same(len(server.seen), len(statuses))
            if method:
                why = f"not tried again: it might be done twice, as {method} without an Idempotency-Key"
                true(why in run.record["error"]["message"], run)
            elif words:
                same([one[2].get("Idempotency-Key") for one in server.seen], ["k1"] * 3)


@case
def what_is_to_be_tried_once_does_not_say_why_it_was_not_tried_again(place):
    with strangers.stranger() as server:
        stock(place, api("s", server.url, {"post": "POST /busy"}, errors=retry(1, 429)))
        run = place.fails(1, "PEER_ERROR", "s.post", told=["429"])
        true("tried again" not in run.record["error"]["message"], run)


@case
@of_stranger
def a_service_that_fails_is_told_with_the_beginning_of_what_it_says(place):
    run = place.fails(1, "PEER_ERROR", "s.angry", env=place.given, told=["answered 400: '{\"why\": \"no [redacted]"])
    told = run.record["error"]["message"].split(": ", 1)[1]
    true(told.endswith("xx…'") and "\n" not in told and 290 < len(told) <= 305, told)
    run = place.fails(1, "PEER_ERROR", "s.broken", env=place.given)
    true(run.record["error"]["message"].endswith("answered 500"), "it does not say that it is text")


@case
@of_stranger
def the_secret_is_sent_and_never_told(place):
    same(place.fine("s.echo", env=place.given).count("[redacted]"), 1)
    same(place.server.seen[-1][2]["Authorization"], "Bearer " + SECRET)
    place.fails(77, "SECRET_MISSING", "s.echo", told=["MY_TOKEN"])


@case
def what_a_header_for_secrets_says_is_left_out_where_the_call_has_some(place):
    one = toolshed.script("n", "print('x: 1\\ncookie: a=b\\ny: 2')")
    place.stock(one)
    same(place.fine("n.run", "word=x"), "x: 1\ncookie: a=b\ny: 2\n")
    place.stock(one | {"secrets": TOKEN})
    same(place.fine("n.run", "word=x", env={"MY_TOKEN": SECRET}), "x: 1\ncookie: [redacted]\ny: 2\n")


@case
@of_stranger
def who_never_answers_or_drips_is_given_up_in_time(place):
    for name in ("silent", "drip"):
        place.fails(143, "command_timeout", f"s.{name}", env=place.given, options=("--timeout-ms", 1000),
                    told=[f"{place.server.url[7:]}: no whole answer came in time; it may take 1000 ms", "timeout_ms"])


@case
@of_stranger
def what_is_not_http_or_half_of_it_or_too_much_is_said(place):
    for name in ("half", "garbage", "flood"):
        run = place.call(f"s.{name}", env=place.given)
        hold(run.status == 1 and run.record["error"]["code"] == "PEER_PROTOCOL", run)
        true(run.record["error"]["message"].startswith(f"{place.server.url[7:]}: "), run.record)
    true("the body has more than 10485760 bytes; ask for less" in run.record["error"]["message"], run.record)


@case
def what_is_too_large_is_told_with_its_own_ceiling(place):
    with strangers.stranger() as server:
        stock(place, api("h", server.url, {"get": "GET /head/{what}"}))
        for what, told in (("long", "the head of the answer has more than 262144 bytes; ask for less"),
                           ("many", "the answer has more than 1000 headers; ask for less"),
                           ("body", "the body has more than 10485760 bytes; ask for less")):
            place.fails(1, "PEER_PROTOCOL", "h.get", f"what={what}", told=[told])


@case
def what_comes_packed_is_unpacked_and_bounded(place):
    with strangers.stranger() as server:
        stock(place, api("p", server.url, {"get": "GET /packed/{how}/{bytes}"}))
        same(place.fine("p.get", "how=good", "bytes:=5"), {"data": "xxxxx"})
        true("Accept-Encoding" not in server.seen[-1][2], server.seen[-1])
        place.fails(1, "PEER_PROTOCOL", "p.get", "how=good", f"bytes:={64 << 20}", told=["the body has more than"])
        same(place.fine("p.get", "how=twice", f"bytes:={5 << 20}"), {"data": "x" * (5 << 20)})
        place.fails(1, "PEER_PROTOCOL", "p.get", "how=short", "bytes:=50", told=["the answer ended in the middle"])
        for how in ("wrong", "other"):
            place.fails(1, "PEER_PROTOCOL", "p.get", f"how={how}", "bytes:=5", told=["cannot be unpacked"])


@case
@of_stranger
def no_redirect_leads_to_another_host(place):
    for name in ("metadata", "elsewhere"):
        place.fails(77, "HOST_REFUSED", f"s.{name}", env=place.given)
    true("Authorization" in place.fine("s.here", env=place.given), "the same host is the same host")
    run = place.call("s.circle", env=place.given)
    hold(run.status != 0 and not run.record["ok"], run)


@case
@of_stranger
def R_001_116_only_listed_hosts_are_reached(place):
    url = place.server.url
    for allow in ([], ["example.org"], ["127.0.0.2"], ["127.0.0.1:1"]):
        override = {"timeout_ms": 2000, "network": {"enabled": bool(allow), "allow": allow}}
        stock(place, api("n", url, {"echo": "GET /echo"}, sandbox_override=override))
        place.never("HOST_REFUSED", "n", "n.echo", at="/interface/api/base_url", told=["127.0.0.1"])
    same(place.server.seen, [])
    for name in ("localhost", "127.1", "2130706433", "0x7f000001"):
        other = url.replace("127.0.0.1", name)
        stock(place, api("n", other, {"echo": "GET /echo"}))
        place.never("HOST_REFUSED", "n", "n.echo", at="/interface/api/base_url", told=["does not list it"])
    same(place.server.seen, [])


@case
@of_stranger
def A01_8_what_the_caller_denies_is_denied_however_it_is_written(place):
    override = {"timeout_ms": 2000, "network": {"enabled": True, "allow": [f"localhost:{place.server.server_port}"]}}
    for name in ("localhost.", "LOCALHOST", "localhost"):
        url = place.server.url.replace("127.0.0.1", name)
        stock(place, api("n", url, {"echo": "GET /echo"}, sandbox_override=override))
        for denied in ("localhost", "127.0.0.1", "[::ffff:127.0.0.1]", f"127.0.0.1:{place.server.server_port}"):
            place.fails(77, "HOST_REFUSED", "n.echo", options=[f"--deny-host={denied}"],
                        told=["the caller denies it"] if name != "localhost." or denied == "localhost" else [])
    same(place.server.seen, [])
    place.fine("n.echo", options=["--deny-host=127.0.0.1:1", "--deny-host=127.0.0.2"])


@case
@of_stranger
def A01_8_one_port_of_a_host_that_is_allowed_at_every_port_is_what_both_allow(place):
    port = place.server.server_port
    stock(place, api("n", place.server.url, {"echo": "GET /echo"}))
    place.fine("n.echo", options=[f"--allow-host=127.0.0.1:{port}"])
    same(len(place.server.seen), 1)
    for host in (f"127.0.0.1:{port % 60000 + 1}", f"127.0.0.2:{port}"):
        place.fails(77, "HOST_REFUSED", "n.echo", options=[f"--allow-host={host}"])
    same(len(place.server.seen), 1)


def of_client(url, token_url, **secret):
    """An adapter whose token is had elsewhere, with the client's secret."""
    override = {"timeout_ms": 5000, "network": {"enabled": True, "allow": ["127.0.0.1", "127.0.0.2"]}}
    return api("o", url, {"echo": "GET /echo"}, auth="oauth", secrets=[TOKEN[0] | secret], sandbox_override=override,
               interface={"auth": {"token_url": token_url, "client_id": "me", "client_secret": "token"}})


@case
def A01_8_what_the_caller_leaves_of_the_network_holds_for_tokens_too(place):
    env = {"MY_TOKEN": SECRET}
    with strangers.stranger(host="127.0.0.2") as issuer, strangers.stranger() as server:
        stock(place, of_client(server.url, issuer.url + "/token"))
        for options in (["--deny-host=127.0.0.2"], ["--allow-host=127.0.0.1"], ["--allow-host=example.org"]):
            place.fails(77, "HOST_REFUSED", "o.echo", env=env, options=options, told=["127.0.0.2"])
        same((issuer.seen, server.seen), ([], []))
        place.fine("o.echo", env=env, options=["--allow-host=127.0.0.1", "--allow-host=127.0.0.2", "--deny-host=127.0.0.3"])
        same(([one[1] for one in issuer.seen], len(server.seen)), (["/token"], 1))


@case
def a_token_is_sent_where_a_header_takes_it_and_it_is_a_bearer_s(place):
    env, good = {"MY_TOKEN": SECRET}, {"access_token": "t0ken-of-a-stranger"}
    with strangers.stranger() as server:
        stock(place, of_client(server.url, server.url + "/token"))
        for more in ({}, {"token_type": "BEARER"}, {"token_type": None}, {"expires_in": 1 << 60}, {"expires_in": 59.5}):
            server.token = good | more
            place.fine("o.echo", env=env)
            same(server.seen[-1][2]["Authorization"], "Bearer " + good["access_token"])
        sent = len([one for one in server.seen if one[1] == "/echo"])
        for more, told in (({"token_type": 7}, "not a bearer token: its token_type is no text"),
                           ({"token_type": "mac"}, "not a bearer token: its token_type is 'mac'"),
                           ({"token_type": ""}, "not a bearer token"), ({"access_token": 7}, "no access_token"),
                           *(({"access_token": f"t0ken{odd}of"}, "access_token with a blank, a control character")
                             for odd in (" ", "\t", "\x7f", "\u00e9"))):
            server.token = good | more
            run = place.fails(1, "PEER_PROTOCOL", "o.echo", env=env, told=[told])
            true(b"t0ken" not in run.out + run.err, run)
        server.token = {"error": "invalid_scope", "error_description": "none of it"}
        place.fails(1, "PEER_ERROR", "o.echo", env=env, told=["refuses: invalid_scope: none of it (status 200)"])
        same(len([one for one in server.seen if one[1] == "/echo"]), sent)


@case
def a_token_endpoint_that_is_busy_is_asked_again_when_it_says(place):
    with strangers.stranger() as server:
        one = of_client(server.url, server.url + "/later")
        stock(place, one | {"errors": retry(2, 429)})
        place.fine("o.echo", env={"MY_TOKEN": SECRET})
        same([one[1] for one in server.seen], ["/later", "/later", "/echo"])
        del server.seen[:]
        stock(place, one | {"errors": retry(2, 503)})
        run = place.fails(1, "PEER_ERROR", "o.echo", env={"MY_TOKEN": SECRET}, told=["refuses: slow_down (status 429)"])
        same([one["status"] for one in run.record["attempts"]], [429])


@case
def R_001_080_a_token_endpoint_that_never_answers_ends_as_a_service_that_never_does(place):
    with strangers.stranger() as server:
        one = of_client(server.url, server.url + "/silent")
        stock(place, one | {"errors": toolshed.retry(3, 503)})
        run = place.fails(143, "command_timeout", "o.echo", env={"MY_TOKEN": SECRET}, options=("--timeout-ms", 1000),
                          told=[f"no token from {server.url[7:]}: ", "it may take 1000 ms", "timeout_ms"])
        same((len(run.record["attempts"]), [one[1] for one in server.seen]), (1, ["/silent"]))


@case
def R_001_116_a_client_s_secret_goes_to_no_host_but_its_own(place):
    with strangers.stranger(host="127.0.0.2") as issuer, strangers.stranger() as server:
        for hosts in (["127.0.0.1"], ["127.0.0.2:1"]):
            stock(place, of_client(server.url, issuer.url + "/token", hosts=hosts))
            place.never("HOST_REFUSED", "o", "o.echo", env={"MY_TOKEN": SECRET}, at="/interface/api/auth/client_secret",
                        told=["the secret 'token' is not for 127.0.0.2"])
        same((issuer.seen, server.seen), ([], []))
        stock(place, of_client(server.url, issuer.url + "/token", hosts=["127.0.0.2"]))
        place.fine("o.echo", env={"MY_TOKEN": SECRET})


@case
def R_001_116_a_name_that_is_a_secret_goes_to_no_host_but_its_own(place):
    secrets = [*TOKEN, {"name": "who", "env": "MY_NAME", "hosts": ["example.org"]}]
    with strangers.stranger() as server:
        for method, member, auth in (("basic", "user", {"secret": "token"}),
                                     ("oauth", "client_id", {"client_secret": "token", "token_url": server.url + "/token"})):
            stock(place, api("o", server.url, {"echo": "GET /echo"}, auth=method, secrets=secrets,
                             interface={"auth": auth | {member: "who"}}))
            place.never("HOST_REFUSED", "o", "o.echo", env={"MY_TOKEN": SECRET, "MY_NAME": "my-name"},
                        at=f"/interface/api/auth/{member}", told=["the secret 'who' is not for 127.0.0.1"])
        same(server.seen, [])


@case
def a_token_and_what_it_is_for_have_one_time(place):
    with strangers.stranger() as server:
        one = of_client(server.url, server.url + "/late")
        one["interface"]["api"]["endpoint_mapping"] = {"silent": "GET /silent"}
        stock(place, one)
        began = time.monotonic()
        place.fails(143, "command_timeout", "o.silent", env={"MY_TOKEN": SECRET}, options=("--timeout-ms", 4000))
        true(time.monotonic() - began < 6, f"{time.monotonic() - began} s")


@case
def a_client_s_secret_is_taken_out_as_it_was_sent(place):
    env, word = {"MY_TOKEN": SECRET}, urllib.parse.quote(SECRET, safe="")
    with strangers.stranger() as server:
        stock(place, of_client(server.url, server.url + "/refuse"))
        place.fails(1, "PEER_ERROR", "o.echo", env=env, told=["refuses: invalid_request: Basic [redacted]"])
        sent = server.seen[-1][2]["Authorization"].split()[1]
        same(base64.b64decode(sent).decode(), "me:" + word)
        one = of_client(server.url, server.url + "/token")
        one["interface"]["api"]["endpoint_mapping"] = {"repeat": "GET /repeat"}
        stock(place, one)
        for text in (sent, word, base64.b64encode(word.encode()).decode()):
            server.words = f"<{text}>"
            same(place.fine("o.repeat", env=env).rstrip("=>"), "<[redacted]")


@case
@of_stranger
def A01_8_a_network_needs_the_registry_s_approval(place):
    one = api("n", place.server.url, {"echo": "GET /echo"})
    for tools in ([tool("n")], [service("n") | {"approval": None}]):
        place.stock(one, tools=[{k: v for k, v in t.items() if v is not None} for t in tools])
        place.fails(77, "APPROVAL_MISSING", "n.echo")
    same(place.server.seen, [])


@case
def a_service_that_is_not_there_is_unavailable_and_tried_again(place):
    stock(place, api("n", f"http://127.0.0.1:{peers.port()}", {"get": "GET /"}, errors=retry(2)))
    run = place.fails(69, "PEER_UNAVAILABLE", "n.get", told=["127.0.0.1:", "no connection can be made; look whether"])
    same(len(run.record["attempts"]), 2)


class Pages(http.server.BaseHTTPRequestHandler):
    """It says where to go on, and says the token again."""

    def do_GET(self):
        self.send_response(404 if "none" in self.path else 201)
        for name, value in (("LINK", "</2>; rel=next"), ("Link", "</9>; rel=last"), ("Location", "/made?t=" + SECRET),
                            ("ETag", 'W/"\xe4"'), ("X-Other", "7"), ("Set-Cookie", "a=b"), ("Content-Length", "0")):
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, *_):
        pass


@case
def the_headers_that_lead_on_are_in_the_answer(place):
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Pages) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        stock(place, api("p", f"http://127.0.0.1:{server.server_port}", {"some": "GET /some", "none": "GET /none"},
                         auth="bearer", secrets=TOKEN, interface={"auth": {"secret": "token"}}))
        for name in ("some", "none"):
            run = place.call(f"p.{name}", env={"MY_TOKEN": SECRET})
            same(run.record["attempts"][0]["headers"], {
                "link": "</2>; rel=next, </9>; rel=last", "location": "/made?t=[redacted]", "etag": 'W/"\ufffd"'})
        server.shutdown()
    same(["headers" in one for one in place.call("p.some", env={"MY_TOKEN": SECRET}).record["attempts"]], [False])


class Proxy(http.server.BaseHTTPRequestHandler):
    """It answers every CONNECT with the server's status."""

    def do_CONNECT(self):
        self.send_response(self.server.status)
        self.end_headers()

    def log_message(self, *_):
        pass


@case
def what_a_proxy_answers_is_told_and_who_can_help(place):
    reach = {"timeout_ms": 5000, "network": {"enabled": True, "allow": ["api.test"]}}
    stock(place, api("n", "https://api.test", {"get": "GET /"}, sandbox_override=reach))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Proxy) as proxy:
        threading.Thread(target=proxy.serve_forever, daemon=True).start()
        env = {"HTTPS_PROXY": f"http://127.0.0.1:{proxy.server_port}"}
        for proxy.status, advice in ((407, "a password"), (403, "allow the host"), (502, "does not reach the host")):
            run = place.fails(69, "PEER_UNAVAILABLE", "n.get", env=env, told=[f"the proxy answered {proxy.status}; ", advice])
            hold(proxy.status == 502 or "look whether" not in run.out.decode(), run)
        proxy.shutdown()
    place.fails(69, "PEER_UNAVAILABLE", "n.get", env={"HTTPS_PROXY": f"http://127.0.0.1:{peers.port()}"})


@case
@of_stranger
def R_001_091_a_user_s_secret_for_a_host_goes_there_only(place):
    stock(place, api("u", place.server.url, {"echo": "GET /echo"}, auth="bearer"))
    place.put("home/.config/writ/config.yaml", json.dumps({"secrets": [{"env": "MINE", "hosts": ["127.0.0.1"]}]}))
    place.fine("u.echo", env={"MINE": SECRET})
    same(place.server.seen[-1][2]["Authorization"], "Bearer " + SECRET)
    place.put("home/.config/writ/config.yaml", json.dumps({"secrets": [{"env": "MINE", "hosts": ["example.org"]}]}))
    place.fails(77, "SECRET_MISSING", "u.echo", env={"MINE": SECRET})


@case
@of_stranger
def an_operation_of_a_service_is_an_action_of_a_plan(place):
    ran = place.comes_to("success", plan(*(step("s.echo") for _ in range(3))), env=place.given)
    same(len(place.server.seen), 3)
    same([output["status"] for output in ran.result["result_payload"]["steps"].values()], [200] * 3)
    place.verify()


if __name__ == "__main__":
    sys.exit(plans.main(CASES))
