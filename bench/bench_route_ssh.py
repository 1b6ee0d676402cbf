#!/usr/bin/env python3
"""bench_route_ssh: commands through one worker over ssh, against a cold ssh for each.

The goal: 60 x the steps per second. The worker's steps are sandboxed and on record, ssh's are bare.
"""
import sys

sys.path.insert(0, "@SOURCE@")
import route  # noqa: E402
import ssh  # noqa: E402

STEPS, COLD, TURNS = 1000, 5, 5


def main():
    writ = route.program("@WRIT@")
    try:
        with ssh.sshd() as box:
            far = {"name": "box", "kind": "ssh", "host": box.host, "options": box.options, "command": [str(writ)]}
            with route.ground(writ, far) as here:
                plan = here.plan("plan", STEPS, "box")

                def cold():
                    for _ in range(COLD):
                        here.command(*box.command("/bin/true"))

                took = route.race(TURNS, cold=cold, worker=lambda: here.run(plan, 2))
    except route.processes.Missing as why:
        return route.skip("ssh", why)
    print("/bin/true over a loopback ssh")
    route.line("ssh for each", took["cold"], COLD)
    ratio = took["cold"] / COLD / (took["worker"] / STEPS)
    route.line(f"{STEPS} steps through one worker, connecting included", took["worker"], STEPS,
               f"{ratio:.0f} x as many (goal 60)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
