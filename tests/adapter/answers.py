#!/usr/bin/env python3
"""answers: what MCP servers over HTTP answer to a call, and what is made of it.

usage: answers.py RUN_PLAN WRIT      prints TAP
"""
import contextlib
import sys

import toolshed
from toolshed import hold, plans, retry, same

import strangers
from servers import NETWORK, mcp, stock

CASES = []
case = toolshed.collector(CASES)
FINE = {"result": {"content": [{"type": "text", "text": "hi"}]}}
OVER = {"id": None, "error": {"code": -32001, "message": "Session not found"}}


@contextlib.contextmanager
def server(place, *said, **members):
    """A server that answers calls so, one after the other; the last answer is good for all that follow."""
    with strangers.stranger(tools={"echo": {}}) as one:
        one.said = lambda: said[min(len(one.called), len(said)) - 1]
        stock(place, mcp("said", ["echo"], url=f"{one.url}/said", transport="http", sandbox_override=NETWORK, **members))
        yield one


# ---- sessions that are over ----

@case
def what_only_reads_is_sent_again_in_another_session(place):
    for over in ({"id": None}, OVER):
        with server(place, (404, over), (200, FINE), operations={"echo": {"effect": "read"}}) as one:
            run = place.call("said.echo")
            hold(run.status == 0, run)
            same((one.called, one.sessions), (["echo", "echo"], 2))


@case
def a_call_that_may_have_been_done_is_not_sent_again_for_a_session(place):
    for over, told in (({"id": None}, "was not sent again"), (OVER, "Session not found")):
        with server(place, (404, over), (200, FINE)) as one:
            place.fails(1, "PEER_ERROR", "said.echo", told=[told])
            same((one.called, one.sessions), (["echo"], 2))


@case
def what_was_answered_is_not_sent_again(place):
    for answer in (FINE, {"error": {"code": -32001, "message": "Session not found"}}):
        for members in ({}, {"operations": {"echo": {"effect": "read"}}}):
            with server(place, (404, answer), **members) as one:
                place.call("said.echo")
                same(one.called, ["echo"])


@case
def a_result_under_a_status_that_says_no_is_none(place):
    for status in (404, 500):
        with server(place, (status, FINE)):
            place.fails(1, "PEER_ERROR", "said.echo", told=[f"HTTP status {status}"])
    with server(place, (500, {"error": {"code": -32000, "message": "it went wrong"}})):
        place.fails(1, "PEER_ERROR", "said.echo", told=["it went wrong"])


@case
def a_result_of_another_shape_is_none(place):
    content = FINE["result"]
    for result, told in (({}, "without content"), (content | {"isError": "true"}, "isError"),
                         (content | {"isError": 1}, "isError"), ({"content": {}}, "content is no list"),
                         ({"content": ["hi"]}, "no object"), ({"content": "hi", "isError": True}, "content is no list")):
        with server(place, (200, {"result": result})):
            place.fails(1, "PEER_PROTOCOL", "said.echo", told=[told])
    for result in ({"content": []}, {"structuredContent": {"n": 1}}):
        with server(place, (200, {"result": result})):
            same(place.call("said.echo").status, 0)


# ---- servers that are busy ----

@case
def R_001_110_a_busy_server_is_left_alone_as_long_as_it_asks_for(place):
    busy = {"id": None}
    members = {"operations": {"echo": {"effect": "read"}}, "errors": retry(3, 429)}
    with server(place, (429, busy, {"Retry_After": "0"}), (200, FINE), **members) as one:
        same((place.call("said.echo").status, one.called), (0, ["echo", "echo"]))
    said = {"error": {"code": -32000, "message": "too many"}}  # it is busy, whatever its body says
    with server(place, (429, said, {"Retry_After": "0"}), (200, FINE), **members) as one:
        same((place.call("said.echo").status, one.called), (0, ["echo", "echo"]))
    asked = [(429, busy, {"Retry_After": seconds}) for seconds in ("1", "60")]
    with server(place, *asked, **members) as one:
        place.fails(1, "PEER_ERROR", "said.echo", told=["said-server: HTTP status 429", "the service asks for 60 s",
                                                        "and 1 s were"])
        same(one.called, ["echo", "echo"])


@case
def R_001_110_a_server_that_is_busy_when_it_is_opened_is_left_alone_as_long(place):
    members = {"operations": {"echo": {"effect": "read"}}, "errors": retry(3, 429)}
    with server(place, (200, FINE), **members) as one:
        one.busy = [(429, {"Retry_After": "0"})]
        run = place.call("said.echo")
        same((run.status, one.called, one.sessions, len(run.record["attempts"])), (0, ["echo"], 1, 2))
        one.busy = [(429, {"Retry_After": "61"})]
        place.fails(1, "PEER_ERROR", "said.echo", told=["HTTP status 429", "the service asks for 61 s"])
        same(one.called, ["echo"])
    with server(place, (200, FINE), operations=members["operations"]) as one:
        one.busy = [(503,)]
        run = place.fails(1, "PEER_ERROR", "said.echo", told=["HTTP status 503"])
        same((len(run.record["attempts"]), one.called), (1, []))


@case
def whose_error_it_is_is_told_with_its_code(place):
    for code, message, told in ((-32602, "no such page", "said-server: error -32602: no such page"),
                                (-32602, "MCP error -32602: no", "said-server: MCP error -32602: no"),
                                (-7, "", "said-server: error -7: it does not say why")):
        with server(place, (200, {"error": {"code": code, "message": message}})):
            place.fails(1, "PEER_ERROR", "said.echo", told=[told])


if __name__ == "__main__":
    sys.exit(plans.main(CASES))
