#!/usr/bin/env python3
"""bench_route_pipe: a plan of commands through one worker on this machine, against the same plan without.

The goal: a step through the worker takes at most 1.15 x what it takes directly.
"""
import sys

sys.path.insert(0, "@SOURCE@")
import route  # noqa: E402

STEPS, TURNS = 200, 15


def main():
    with route.ground(route.program("@WRIT@"), {"name": "pipe", "kind": "pipe"}) as here:
        direct, through = here.plan("direct", STEPS), here.plan("through", STEPS, "pipe")
        for jobs in (1, 2):
            took = route.race(TURNS, direct=lambda: here.run(direct, jobs), through=lambda: here.run(through, jobs))
            print(f"{STEPS} x /bin/true, sandboxed, on record, {jobs} at a time")
            route.line("run by writ itself", took["direct"], STEPS)
            route.line("as a lane, through a persistent worker on a pipe", took["through"], STEPS,
                       f"{took['through'] / took['direct']:.2f} x (goal 1.15)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
