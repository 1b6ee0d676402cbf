#!/usr/bin/env python3
"""concurrency: many writers at once, each told the truth about each event.

usage: concurrency.py [--postgres] WRIT      prints TAP
"""
import collections
import json
import random
import subprocess
import sys

import ledger
import tap
from ledger import STATES, same, text_of

CASES = []
case = ledger.collector(CASES)

WRITERS, EVENTS = 16, 1000


def at_once(place, orders, *options):
    """Each writer appends its events in its own order, all at the same time. The answers, in the
    order of the events that were sent."""
    writers = []
    for n, events in enumerate(orders):
        path = place.put(f"events-{n}", b"".join(map(text_of, events)))
        out = open(place.path(f"answers-{n}"), "w+b")
        writers.append((out, subprocess.Popen(
            [tap.WRIT, "ledger", "append", path, "--json", *options], cwd=place.work, stdin=subprocess.DEVNULL,
            stdout=out, stderr=subprocess.PIPE, env=place.environment({}))))
    answers = []
    for (out, writer), events in zip(writers, orders):
        error = writer.communicate(timeout=300)[1]
        out.seek(0)
        lines = [json.loads(line) for line in out.read().splitlines()]
        out.close()
        same(writer.returncode, int(any(line.get("status") == "refused" for line in lines)), error)
        same(len(lines), len(events), error)
        answers.append(lines)
    return answers


def shuffled(events, seed):
    order = list(events)
    random.Random(seed).shuffle(order)
    return order


def keys(events):
    return [(event["payload"]["executionId"], event["payload"]["attempt"], event["state"]) for event in events]


def told(orders, answers):
    """Per event: how often each answer was given, and the ids that were named."""
    counts, ids = collections.defaultdict(collections.Counter), collections.defaultdict(set)
    for events, lines in zip(orders, answers):
        for key, line in zip(keys(events), lines, strict=True):
            counts[key][line.get("code") or line["status"]] += 1
            ids[key].add(line["ledger_id"])
    return counts, ids


def stored(place):
    """The ledger's events by their key; each once."""
    entries = place.log("--kind", "execution_event")
    by_key = {(entry["subject"], entry["attempt"], entry["state"]): entry for entry in entries}
    same(len(by_key), len(entries))
    return by_key


@case
def R_002_007_R_002_016_many_writers_of_the_same_events_leave_each_once(place):
    events = [place.event(execution=f"e-{n}") for n in range(EVENTS)]
    orders = [shuffled(events, seed) for seed in range(WRITERS)]
    counts, ids = told(orders, at_once(place, orders))
    there = stored(place)
    same(len(there), EVENTS)
    for key, answers in counts.items():
        same(dict(answers), {"appended": 1, "duplicate": WRITERS - 1}, key)
        same(ids[key], {there[key]["ledger_id"]}, key)
    same(place.verify()["entries"], EVENTS + 1)
    same(place.rejects(), [])


@case
def R_002_017_many_writers_of_different_events_leave_one_of_each(place):
    count = EVENTS // 5
    orders = [shuffled([place.event(execution=f"e-{n}", durationMs=writer) for n in range(count)], writer)
              for writer in range(WRITERS)]
    counts, _ = told(orders, at_once(place, orders))
    there = stored(place)
    same(len(there), count)
    for key, answers in counts.items():
        same(dict(answers), {"appended": 1, "IDEMPOTENCY_CONFLICT": WRITERS - 1}, key)
    place.verify()
    same(len(place.rejects()), count * (WRITERS - 1))


@case
def R_002_015_R_002_016_executions_that_many_writers_carry_on_go_through_each_state_once(place):
    names = [f"e-{n}" for n in range(EVENTS // 10)]
    orders = [[place.event(state, name) for state in STATES[:3] for name in shuffled(names, seed)]
              for seed in range(WRITERS)]
    counts, ids = told(orders, at_once(place, orders))
    same(len(stored(place)), 3 * len(names))
    for key, answers in counts.items():
        same(dict(answers), {"appended": 1, "duplicate": WRITERS - 1}, key)
        same(len(ids[key]), 1, key)
    for name in names:
        same([entry["state"] for entry in place.log("--execution", name)], list(STATES[:3]))
        break
    place.verify()


@case
def inputs_entered_at_once_are_entered_once(place):
    path = place.put("document.json", '{"a": 1}')
    runs = [subprocess.Popen([tap.WRIT, "ledger", "input", path, "--subject", "s", "--json"], cwd=place.work,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, env=place.environment({}))
            for _ in range(WRITERS)]
    answers = [json.loads(run.communicate(timeout=120)[0]) for run in runs]
    same(collections.Counter(answer["status"] for answer in answers), {"appended": 1, "duplicate": WRITERS - 1})
    same(len({answer["ledger_id"] for answer in answers}), 1, answers)
    same(len(place.log()), 1)


@case
def readers_see_whole_moments_while_writers_write(place):
    # Whoever verifies or reads while others append sees a ledger that is intact.
    events = [place.event(state, f"e-{n}") for n in range(EVENTS) for state in STATES[:3]]
    path = place.put("events", b"".join(map(text_of, events)))
    writer = subprocess.Popen([tap.WRIT, "ledger", "append", path, "--json"], cwd=place.work,
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env=place.environment({}))
    sizes = []
    while writer.poll() is None or len(sizes) < 3:
        sizes.append(place.verify()["entries"])
        seqs = [entry["seq"] for entry in place.log()]
        same(seqs, list(range(len(seqs))))
    same(writer.returncode, 0)
    same(sizes, sorted(sizes))
    same(place.verify()["entries"], len(events) + 1)


if __name__ == "__main__":
    sys.exit(ledger.main(CASES))
