#!/usr/bin/env python3
"""fixed_waits: with --deterministic fixed a wait leaves everything behind as it does without.

usage: fixed_waits.py [--user] HELD_WAITS WRIT    prints TAP; HELD_WAITS is held_waits.c
"""
import pathlib
import sys

import ground
from ground import expect, hold

CASES = []
PROGRAM = pathlib.Path(sys.argv[-2]).read_bytes()  # before we may be somebody who may not


class Place(ground.Place):
    def __init__(self, scratch):
        super().__init__(scratch)
        self.put("work/held_waits", PROGRAM, 0o755)


case = ground.collector(CASES, Place)


def fixed(place, *command, options=()):
    return place.exec(*command, options=["--deterministic", "fixed", "--timeout-ms", "10000", *options])


def as_without(place, *acts):
    """What the program prints is the same with time held as without."""
    free = place.exec("./held_waits", *acts)
    held = fixed(place, "./held_waits", *acts)
    expect(free, exit_code=0)
    expect(held, exit_code=0)
    hold(held.record["stdout"]["text"] == free.record["stdout"]["text"] != "", held)
    return held.record["stdout"]["text"]


@case
def P_a_wait_leaves_its_arguments_in_the_registers(place):
    text = as_without(place, "registers")
    assert "another" not in text and text.count(": -4\n") == 2, text


@case
def I07_who_waits_again_each_time_that_a_timer_cuts_it_off_gets_there(place):
    ground.printed(fixed(place, "./held_waits", "on"), "slept 200000000\npolled 400000000\npaused 600000000\n")


@case
def I07_the_signal_of_a_timer_lets_pass_what_it_was_set_to_and_others_nothing(place):
    ground.printed(fixed(place, "./held_waits", "once"), "cut by an interval timer 30000000\n"
                   "cut by a timer 60000000\ncut by another 60000000\n")


@case
def I07_the_signal_of_a_timer_lets_pass_what_that_one_was_set_to(place):
    ground.printed(fixed(place, "./held_waits", "beside"),
                   "beside others 60000000\nin place of others 120000000\n")


@case
def I07_a_wait_that_nobody_hears_the_signal_of_lasts_as_long_as_it_was_asked_to(place):
    ground.printed(fixed(place, "./held_waits", "unheard"), "0\nslept 100000000\n0\nslept until 200000000\n"
                   "-1\nwaited 300000000\n0\npolled 400000000\n0\nselected 500000000\n")


@case
def I09_a_handler_that_a_read_of_the_counter_loses_is_said_to_be_open(place):
    run = fixed(place, "./held_waits", "fault")
    told = run.record["deterministic"]["open"]
    hold(("blocked faults" in told) != ("cycle counter" in told), run)
    ground.printed(run, "lost\n" if "blocked faults" in told else "kept\n")


@case
def I08_the_pages_of_the_kernels_clocks_are_gone_or_said_to_be_open(place):
    run = fixed(place, "./held_waits", "pages")
    pages = "clock page" in run.record["deterministic"]["open"]
    text = run.record["stdout"]["text"]
    hold(text.startswith(("" if pages else "no ") + "pages\nfine 1, on a CPU 1\n") and "anew 0" not in text, run)


@case
def I09_pages_that_a_filter_of_the_commands_keeps_are_said_to_be_open(place):
    run = fixed(place, "./held_waits", "filtered")
    text = run.record["stdout"]["text"]
    hold("clock page" in run.record["deterministic"]["open"] and text.startswith("pages\n"), run)


if __name__ == "__main__":
    sys.exit(ground.main_as_either(CASES))
