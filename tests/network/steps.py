"""steps.py: the network of steps in a plan, and of calls of adapters (A01-8)."""
import town
import visit
from visit import CURL, decided, hold, true
from toolshed import cli, plan, plans, tool

CASES = []
case = visit.collector(CASES)


def stock(place, scope="api"):
    place.registry({"tool_id": "TL-1", "approval": visit.toolshed.APPROVED,
                    "scope": {"commands": [*plans.COMMANDS, CURL], "filesystem": "extended", "network": scope}})


def fetch(url, *hosts, after=(), **members):
    sandbox = {"network": {"enabled": True, "allow": list(hosts)}} if hosts else None
    return plans.execute(CURL, "-sS", "--fail", "-o", members.pop("into", "got"), url, after=after, sandbox=sandbox,
                         **members)


@case
def R_001_018_two_steps_of_a_plan_have_each_their_own_hosts(place):
    stock(place)
    one = fetch("http://allowed.test/hello", "allowed.test", into="one")
    two = fetch("http://other.test/hello", "other.test", into="two", after=[one])
    ran = place.comes_to("success", plan(one, two))
    true(place.lines_of("one") == ["hello from allowed.test"] and place.lines_of("two") == ["hello from other.test"],
         place.there("one", "two"))
    hold(ran.status == 0, ran)
    true(not visit.gates(), "a gate is left")


@case
def R_001_018_a_step_does_not_reach_the_hosts_of_another(place):
    stock(place)
    one = fetch("http://allowed.test/hello", "allowed.test", into="one")
    two = fetch("http://allowed.test/hello", "other.test", into="two", after=[one])
    three = fetch("http://allowed.test/hello", into="three", after=[one])
    for last in (two, three):
        place.town.begin()
        ran = place.comes_to("failure", plan(one, last))
        hold(place.there("two", "three") == [], ran)
        true(place.town.came(town.ALLOWED) == 1 and place.town.came(town.OTHER) == 0, place.town.seen)


@case
def R_001_018_steps_at_once_have_each_their_own_gate(place):
    stock(place)
    hosts = ("allowed.test", "other.test", "third.test", "api.test")
    steps = [fetch(f"http://{host}/hello", host, into=host) for host in hosts]
    ran = place.comes_to("success", plan(*steps), jobs=4)
    hold(all(place.lines_of(host) == [f"hello from {host}"] for host in hosts), ran)


def curl_adapter(*hosts, **network):
    return cli("fetch", CURL, "-sS", "--fail", mapping={"url": "{url}"}, operations={"get": {}},
               sandbox_override={"network": {"enabled": True, "allow": list(hosts)} | network})


def of(place, run):
    """The record of the run behind a call."""
    execution = run.record["attempts"][-1]["execution_id"]
    told = place.writ("show", "--json", execution)
    hold(told.status == 0, told)
    return told


@case
def A01_8_a_call_reaches_what_its_adapter_lists_and_the_registry_lets_it(place):
    place.stock(curl_adapter("allowed.test"), tools=[tool("fetch", commands=[CURL], network="api")])
    out = place.fine("fetch.get", params={"url": "http://allowed.test/hello"})
    true("hello from allowed.test" in str(out), out)
    run = place.call("fetch.get", params={"url": "http://other.test/hello"})
    hold(run.status != 0 and not run.record["ok"], run)
    place.untouched(town.OTHER, run)
    shown = of(place, run)
    hold(b"other.test" in shown.out and b"refused" in shown.out, shown)


@case
def A01_8_a_registry_that_gives_no_network_stops_the_call(place):
    for given in ({"network": "offline"}, {}, {"network": "registry"}):
        place.stock(curl_adapter("allowed.test"), tools=[tool("fetch", commands=[CURL], **given)])
        place.fails(77, "APPROVAL_MISSING", "fetch.get", params={"url": "http://allowed.test/hello"})
    unapproved = tool("fetch", commands=[CURL], network="api")
    del unapproved["approval"]
    place.stock(curl_adapter("allowed.test"), tools=[unapproved])
    run = place.call("fetch.get", params={"url": "http://allowed.test/hello"})
    hold(run.status == 77, run)
    true(place.town.total() == 0, place.town.seen)


@case
def A01_8_a_step_that_calls_an_adapter_reaches_what_the_adapter_lists(place):
    place.stock(curl_adapter("allowed.test"), tools=[tool("fetch", commands=[CURL], network="api")])
    for status, host in (("success", "allowed.test"), ("failure", "other.test")):
        place.town.begin()
        ran = place.comes_to(status, plan(plans.step("fetch.get", {"url": f"http://{host}/hello"})))
        hold((place.town.total() > 0) == (status == "success"), ran)
    true("other.test" not in place.town.names.asked, place.town.names.asked)


@case
def R_001_018_a_library_s_caller_and_the_command_line_see_the_same_record(place):
    run = place.curl("http://allowed.test/hello", allow=["allowed.test"])
    told = place.writ("show", "--json", run.record["execution_id"])
    hold(told.status == 0, told)
    one = decided(run, "allowed.test", True)
    hold(one["at"].encode() in told.out and b'"allowed"' in told.out, told)
