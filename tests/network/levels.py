"""levels.py: R-001-017 to 019 and 050 to 054: what each network level reaches, in truth."""
import town
import visit
from visit import CURL, PYTHON, REAL_PYTHON, TOUCH, decided, decisions, expect, hold, printed, refused, true

CASES = []
case = visit.collector(CASES)

REGISTRIES = ("pypi.org", "files.pythonhosted.org", "registry.npmjs.org")
HOSTS = ("allowed.test", "other.test", "pypi.org", "to-loop.test")


def reaches(place, *options, request=None, hosts=HOSTS):
    """Which hosts a run reaches by HTTP; the run, and their names."""
    words = place.acting("three_ways", [(host, 80) for host in hosts])
    run = place.ask(*words, **request) if request else place.exec(*words, options=options)
    hold(run.record.get("exit_code") == 0, run)
    told = visit.json.loads(run.record["stdout"]["text"])
    for ways in told.values():
        hold(len({ways[0] == 200, ways[1] == 200, ways[2] == 0}) == 1, run)
    return run, [host for host in hosts if told[f"{host}:80"][0] == 200]


def registry(place, level, approval=True):
    like = {"tool_id": "TL-1", "scope": {"commands": [REAL_PYTHON, CURL, "/usr/bin/touch"], "network": level}}
    place.registry(like | ({"approval": visit.toolshed.APPROVED} if approval else {}))


@case
def R_001_017_R_001_050_offline_reaches_nothing_and_is_the_default(place):
    targets = [[town.ALLOWED, 80], [town.OTHER, 443], ["10.1.2.3", 80], ["127.0.0.1", 3128], ["127.0.0.1", 53],
               ["127.53.0.1", 80], ["169.254.169.254", 80]]
    for options in ([], ["--net=offline"]):
        run = place.exec(*place.acting("direct", targets), options=options)
        hold(run.record.get("exit_code") == 0, run)
        told = visit.json.loads(run.record["stdout"]["text"])
        hold(not [row for row in told if row[3] == "GOT IT" and row[2] == 1], run)
        expect(run, limits__network="offline")
        run = place.exec(CURL, "-sS", "--fail", "http://allowed.test/hello", options=options)
        hold(run.record["exit_code"] not in (0, None), run)
    true(place.town.total() == 0 and not place.town.names.asked, (place.town.seen, place.town.names.asked))


@case
def R_001_050_hosts_for_a_run_that_is_offline_are_refused(place):
    run = place.exec(*TOUCH, options=["--net=offline", "--allow-host=allowed.test"])
    hold(run.status in (64, 65) and "exit_code" not in run.record and not (place.work / "ran").exists(), run)


@case
def R_001_018_R_001_052_api_reaches_what_is_listed_and_nothing_else(place):
    run, found = reaches(place, "--net=api", "--allow-host=allowed.test")
    true(found == ["allowed.test"], found)
    expect(run, limits__network="api")
    run, found = reaches(place, "--net=api", "--allow-host=allowed.test", "--allow-host=other.test")
    true(found == ["allowed.test", "other.test"], found)
    run, found = reaches(place, "--net=api")
    true(found == [], found)
    hold(len(decisions(run, False)) == 12, run)


@case
def R_001_018_a_host_alone_says_that_the_network_is_on(place):
    run, found = reaches(place, "--allow-host=allowed.test")
    true(found == ["allowed.test"], found)
    expect(run, limits__network="api")


@case
def R_001_019_deny_wins(place):
    run, found = reaches(place, "--net=api", "--allow-host=allowed.test", "--allow-host=other.test",
                         "--deny-host=other.test")
    true(found == ["allowed.test"], found)
    hold("denied" in decided(run, "other.test", False)["rule"], run)
    place.untouched(town.OTHER, run)


@case
def R_001_051_registry_reaches_registries_and_nothing_else(place):
    run, found = reaches(place, "--net=registry", hosts=(*HOSTS, *REGISTRIES[1:], "evil.pypi.org", "api.test"))
    true(sorted(found) == sorted(REGISTRIES), found)
    expect(run, limits__network="registry")
    place.untouched(town.OTHER, run)
    place.untouched(town.ALLOWED, run)


@case
def R_001_051_every_row_of_the_table_is_reached_and_nothing_like_it(place):
    told = visit.json.loads(place.writ("explain", "registries", "--json").out)
    rows = [row["host"] for row in told["tables"][0]["rows"]]
    true(len(rows) >= 10 and "pypi.org" in rows, rows)
    place.town.names.table |= {name: [town.THIRD] for name in rows}
    place.town.names.table |= {f"x-{name}": [town.OTHER] for name in rows}
    place.town.names.table |= {f"{name}.evil.test": [town.OTHER] for name in rows}
    run, found = reaches(place, "--net=registry", "--timeout-ms=120000",
                         hosts=[*rows, *(f"x-{name}" for name in rows), *(f"{name}.evil.test" for name in rows)])
    true(sorted(found) == sorted(rows), set(rows) ^ set(found))
    place.untouched(town.OTHER, run)


@case
def R_001_051_R_001_019_a_registry_can_be_denied_and_a_host_added(place):
    run, found = reaches(place, "--net=registry", "--deny-host=pypi.org", "--allow-host=allowed.test")
    true(found == ["allowed.test"], found)


@case
def R_001_053_N21_open_reaches_any_host_of_the_world_and_everything_is_logged(place):
    run, found = reaches(place, "--net=open", "--approve=to look around")
    true(found == ["allowed.test", "other.test", "pypi.org"], found)
    expect(run, limits__network="open", approval="to look around")
    for host in found:
        for via in ("http", "connect", "socks5"):
            one = decided(run, host, True, via=via, port=80)
            hold(one["address"] and one["ms"] >= 0 and (via != "http" or one["bytes_down"] > 0), run)
    decided(run, "to-loop.test", False)
    run = place.exec(CURL, "-sS", "https://other.test/big?n=100000", "-o", "got",
                     options=["--net=open", "--approve=to fetch"])
    expect(run, exit_code=0)
    hold(decided(run, "other.test", True, via="connect", port=443)["bytes_down"] > 100000, run)


@case
def N20_what_came_through_a_tunnel_is_counted_without_the_gates_own_words(place):
    for via, proxy in (("connect", "http://127.0.0.1:3128"), ("socks5", "socks5h://127.0.0.1:3128")):
        run = place.exec(CURL, "-sS", "-p", "-x", proxy, "-i", "--suppress-connect-headers", "-o", f"got-{via}",
                         "http://allowed.test/big?n=1000", options=["--allow-host=allowed.test"])
        expect(run, exit_code=0)
        one = decided(run, "allowed.test", True, via=via)
        hold(one["bytes_down"] == (place.work / f"got-{via}").stat().st_size, run)


@case
def R_001_053_N21_open_still_reaches_no_private_address(place):
    names = [f"{name}.test" for name in town.NEVER] + ["127.0.0.1", "10.1.2.3", "169.254.169.254", "[::1]", "localhost"]
    run, found = reaches(place, "--net=open", "--approve=to look around", "--timeout-ms=120000", hosts=names)
    true(found == [], found)


@case
def R_001_053_N21_open_reaches_no_address_that_the_machine_has(place):
    open_ = ["--net=open", "--approve=to look around"]
    run, found = reaches(place, *open_, hosts=["own.test", town.OWN, "allowed.test"])
    true(found == ["allowed.test"], found)
    place.untouched(town.OWN, run)
    for host in ("own.test", town.OWN):
        hold("its address is one of this machine's own" in decided(run, host, False, via="connect")["rule"], run)
    run, found = reaches(place, *open_, f"--allow-host={town.OWN}", hosts=["own.test", town.OWN])
    true(found == ["own.test", town.OWN], found)


@case
def R_001_053_R_001_019_open_without_the_denied(place):
    run, found = reaches(place, "--net=open", "--approve=to look around", "--deny-host=other.test")
    true(found == ["allowed.test", "pypi.org"], found)
    place.untouched(town.OTHER, run)


# Straight to an address, without a name and without the gate: there is no other way out.
@case
def R_001_053_N21_open_has_no_way_round_the_log(place):
    run = place.exec(*place.acting("direct", [[town.ALLOWED, 80], [town.OTHER, 53], ["10.1.2.3", 80]]),
                     options=["--net=open", "--approve=to look around"])
    hold(run.record.get("exit_code") == 0, run)
    told = visit.json.loads(run.record["stdout"]["text"])
    hold(all(row[3] != "GOT IT" for row in told), run)
    true(place.town.total() == 0, place.town.seen)


@case
def R_001_054_open_without_an_approval_is_refused(place):
    run = place.exec(*TOUCH, options=["--net=open"])
    refused(place, run, 64, "APPROVAL_MISSING", "open", "approval")
    registry(place, "open")
    run = place.ask(*TOUCH, sandbox={"network": {"enabled": True, "level": "open"}})
    refused(place, run, 65, "APPROVAL_MISSING", "open", "approval")
    registry(place, "api")
    run = place.ask(*TOUCH, sandbox={"network": {"enabled": True, "level": "open"}}, approval={"reason": "x"})
    refused(place, run, 77, "APPROVAL_MISSING", "open")
    true(place.town.total() == 0, place.town.seen)


@case
def R_001_018_R_001_019_R_001_052_a_document_says_its_hosts(place):
    registry(place, "api")
    network = {"enabled": True, "allow": ["allowed.test", "other.test"], "deny": ["other.test"]}
    run, found = reaches(place, request={"sandbox": {"network": network}})
    true(found == ["allowed.test"], found)
    expect(run, limits__network="api")


@case
def R_001_051_a_document_at_level_registry(place):
    registry(place, "registry")
    run, found = reaches(place, request={"sandbox": {"network": {"enabled": True, "level": "registry"}}})
    true(found == ["pypi.org"], found)
    run = place.ask(*TOUCH, sandbox={"network": {"enabled": True, "level": "api", "allow": ["allowed.test"]}})
    refused(place, run, 77, "APPROVAL_MISSING", "api")


@case
def R_001_053_R_001_054_a_document_at_level_open_with_both_approvals(place):
    registry(place, "open")
    run, found = reaches(place, request={"sandbox": {"network": {"enabled": True, "level": "open"}},
                                         "approval": {"reason": "to look around"}})
    true(found == ["allowed.test", "other.test", "pypi.org"], found)
    expect(run, approval="to look around")


@case
def R_001_017_a_document_with_enabled_false_reaches_nothing(place):
    registry(place, "open")
    run = place.ask(PYTHON, "-c", "import socket\ntry: socket.create_connection(('127.0.0.1', 3128), 5); print('GOT IT')\n"
                                  "except OSError: print('no')\n", sandbox={"network": {"enabled": False}})
    printed(run, "no\n")
    true(place.town.total() == 0, place.town.seen)


@case
def R_001_018_an_entry_that_is_no_host_is_refused(place):
    for entry in ("http://allowed.test", "allowed.test/", "allowed.test:0", "allowed.test:99999", "*", "*.", "**.test",
                  "a.*.test", "allowed test", "al\u00f6wed.test", "0x7f.1", "127.1", "2130706433", "[::1", "allowed..test",
                  "a@allowed.test", "allowed.test:", ""):
        run = place.exec(*TOUCH, options=["--net=api", f"--allow-host={entry}"])
        hold(run.status in (64, 65) and not (place.work / "ran").exists(), run._replace(err=run.err + entry.encode()))


# A direct way is refused by the kernel, which counts; it does not say where to.
@case
def R_001_053_what_goes_past_the_doors_is_counted(place):
    code = ("import socket\n"
            "for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):\n"
            "    for _ in range(3):\n"
            "        with socket.socket(socket.AF_INET, kind) as s:\n"
            "            try: s.connect(('93.184.216.34', 9)); s.send(b'x')\n"
            "            except OSError as e: print(e.errno)\n")
    for options in (["--net=open", "--approve=why"], ["--net=api", "--allow-host=allowed.test"]):
        run = place.exec(PYTHON, "-c", code, options=options)
        hold(run.record["network"]["led_nowhere"] == 6 and run.record["stdout"]["text"] == "101\n" * 6, run)
        run = place.exec(PYTHON, "-c", "import socket; socket.create_server(('127.0.0.1', 0))", options=options)
        hold(run.record["network"]["led_nowhere"] == 0, run)
    run = place.exec("/bin/true")
    hold(run.record["network"]["led_nowhere"] is None, run)


@case
def R_001_018_the_record_says_what_was_allowed_and_the_ledger_keeps_it(place):
    run = place.curl("http://allowed.test/hello", allow=["allowed.test"], deny=["evil.test"])
    network = run.record["network"]
    hold(network["level"] == "api" and network["allow"] == ["allowed.test"] and network["deny"] == ["evil.test"], run)
    shown = place.writ("show", run.record["execution_id"])
    hold(shown.status == 0 and b"allowed.test" in shown.out, shown)
    kept = b"".join(path.read_bytes() for path in place.state.rglob("*") if path.is_file())
    true(b"allowed.test" in kept, "the ledger knows nothing of it")
