"""itself.py: the town is real: without writ everything in it can be reached, and the eyes see it.

Were it not so, nothing that the other areas find would mean anything.
"""
import contextlib
import os
import socket
import ssl
import subprocess

import town
import visit
from visit import true

CASES = []
case = visit.collector(CASES)


def fetch(*words):
    return subprocess.run(["curl", "-sS", "--max-time", "20", *words], capture_output=True, text=True,
                          env={"PATH": "/usr/bin:/bin"})


@case
def the_servers_of_the_town_answer_by_name(place):
    for url in ("http://allowed.test/hello", "https://allowed.test/hello", "http://other.test:8080/hello",
                "http://filed.test/hello", "http://deb.test/debian/Packages", "http://git.test/project.git/HEAD"):
        done = fetch(url)
        true(done.returncode == 0 and done.stdout, (url, done))
    true(len(place.town.seen) == 6 and place.town.came(town.ALLOWED) == 3, place.town.seen)
    true("allowed.test" in place.town.names.asked and "filed.test" not in place.town.names.asked,
               place.town.names.asked)


@case
def a_certificate_is_checked_against_the_authority_of_the_town(place):
    context = ssl.create_default_context(cafile=place.town.authority)
    with contextlib.closing(context.wrap_socket(socket.create_connection((town.ALLOWED, 443)),
                                                server_hostname="allowed.test")):
        pass
    true(place.town.servers[town.ALLOWED, 443].names == ["allowed.test"], "the name was told")


@case
def who_must_not_be_spoken_to_hears_it(place):
    heard = 0
    for name, address in town.NEVER.items():
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        with socket.socket(family) as guest:
            guest.settimeout(5)
            with contextlib.suppress(OSError):
                guest.connect((f"{name}.test", 80))
                heard += 1
    spoken = [one.name for one in place.town.canaries if one.heard()]
    true(heard >= 10 and spoken, (heard, spoken))
    true({"127.0.0.1", "10.1.2.3", "169.254.169.254"} <= {name[0] for name in spoken}, spoken)
    for canary in place.town.canaries:
        while canary.heard():
            pass


@case
def nothing_leads_out_of_the_town(place):
    true([name for _, name in socket.if_nameindex()] == ["lo"], socket.if_nameindex())
    with socket.socket() as guest:
        true(guest.connect_ex(("1.1.1.1", 80)) != 0, "the world was reached")
    true((os.geteuid() != 0) == place.user, "played as somebody else")
