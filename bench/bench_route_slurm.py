#!/usr/bin/env python3
"""bench_route_slurm: commands through one worker in a Slurm allocation, against an srun for each.

The goal: 40 x the steps per second. The worker's steps are sandboxed and on record, srun's are bare.
"""
import sys

sys.path.insert(0, "@SOURCE@")
import route  # noqa: E402
import slurm  # noqa: E402

STEPS, EACH, TURNS = 1000, 20, 5


def main():
    writ = route.program("@WRIT@")
    try:
        with slurm.slurm() as cluster:
            within = cluster.within(cluster.allocate())
            far = {"name": "cluster", "kind": "slurm", "options": within, "command": [str(writ)]}
            with route.ground(writ, far, **cluster.env) as here:
                plan = here.plan("plan", STEPS, "cluster")

                def each():
                    for _ in range(EACH):
                        here.command(cluster.programs["srun"], *within, "/bin/true")

                took = route.race(TURNS, each=each, worker=lambda: here.run(plan, 2))
    except route.processes.Missing as why:
        return route.skip("Slurm", why)
    print("/bin/true in one Slurm allocation of this machine")
    route.line("srun for each", took["each"], EACH)
    ratio = took["each"] / EACH / (took["worker"] / STEPS)
    route.line(f"{STEPS} steps through one worker, srun included", took["worker"], STEPS,
               f"{ratio:.0f} x as many (goal 40)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
