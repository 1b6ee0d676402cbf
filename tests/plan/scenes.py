"""scenes.py: scenarios of plans by chance, and how to make one smaller."""
import copy
import random

PLAN, RUN = "00000000-0000-4000-9000-000000000000", "00000000-0000-4000-a000-000000000000"
STARTED = 1_700_000_000_000
IDS = [f"00000000-0000-4000-8000-{n:012x}" for n in range(1024)]
PLACES = {id: n for n, id in enumerate(IDS)}

ERRORS = ("STEP_FAILED", "STEP_FAILED", "command_failed", "EXECUTOR_EXCEPTION", "COMMAND_NOT_ALLOWED")
FATALS = ("RESOURCE_EXHAUSTED", "INVALID_PAYLOAD", "UNKNOWN_ERROR", "ACTION_NOT_FOUND", "STEP_TIMEOUT")


def step_id(place):
    return IDS[place]


def place_of(id):
    return PLACES[id]


class Chance(random.Random):
    def one_in(self, n):
        return self.random() * n < 1

    def graph(self, n):
        """Of each step the steps it waits for; by a hidden order, so that they may come later in the list."""
        order = list(range(n))
        if self.one_in(3):
            self.shuffle(order)
        form = self.choice(("none", "chain", "layers", "sparse", "sparse", "dense"))
        needs = [[] for _ in range(n)]
        width = self.randint(1, 6)
        for k in range(1, n):
            if form == "chain":
                before = [k - 1] if self.random() < 0.9 else []
            elif form == "layers":
                first = k - k % width
                before = [p for p in range(max(0, first - width), first) if self.random() < 0.6]
            elif form == "none":
                before = []
            else:
                few = 1 if form == "sparse" else 4
                before = sorted({self.randrange(k) for _ in range(self.randint(0, few))})
            needs[order[k]] = [order[p] for p in before]
            if before and self.one_in(50):
                needs[order[k]] *= 2  # named twice is no other thing
        return needs

    def ms(self):
        """Small numbers meet in the same millisecond, large ones hardly ever."""
        if self.wide:
            return self.randrange(2000)
        return self.randrange(6) if self.random() < 0.8 else self.randrange(40)

    def script(self, trouble):
        """How the attempts at one step go."""
        lines = []
        while self.random() < trouble and len(lines) < 4:
            kind = self.random()
            code = self.choice(ERRORS) if kind < 0.9 else self.choice(FATALS)
            lines.append([-1, ""] if self.one_in(8) else [self.ms(), code])
        return lines + [[self.ms(), ""]]

    def policy(self):
        codes = (*sorted(set(ERRORS)), "STEP_TIMEOUT", "RESOURCE_EXHAUSTED", "ODD")
        made = {"max_attempts": self.choice((1, 2, 2, 3, 4)), "backoff_ms": self.choice((0, 1, 2, 3, 5, self.ms())),
                "backoff_multiplier": self.choice((1, 1.25, 1.5, 2, 3, 10, 1e6)),
                "max_backoff_ms": self.choice((0, 1, 4, 7, 20, 60000)),
                "retryable_error_codes": [code for code in codes if self.random() < 0.6]}
        return {key: made[key] for key in made if self.random() < 0.9}

    def scene(self):
        self.wide = self.one_in(3)
        n = self.choice((1, 2, 2, 3, 3, 4, 4, 5, 6, 7, 8, 10, 12, 16, self.randint(1, 60)))
        trouble = self.choice((0, 0.03, 0.1, 0.3, 0.6))
        haltish = self.choice((0, 0.1, 0.5))
        needs, steps = self.graph(n), []
        for k in range(n):
            step = {"id": IDS[k], "action": "execute", "payload": {},
                    "on_failure": "halt" if self.random() < haltish else self.choice(("skip", "retry", "retry"))}
            if needs[k] or self.one_in(2):
                step["depends_on"] = [IDS[p] for p in needs[k]]
            if self.one_in(4):
                step["timeout_ms"] = 1 + self.ms() * self.choice((1, 2, 10))
            steps.append(step)
        script = [self.script(trouble) for _ in range(n)]
        plan = {"id": PLAN, "version": 1, "created_at": STARTED, "name": "p", "context_requirements": ["k"],
                "steps": steps}
        if self.random() < 0.9:
            plan["retry_policy"] = self.policy()
        if self.one_in(3):  # may well be too short
            plan["timeout_ms"] = 1 + self.randrange(2 + sum(max(line[0], 3) for lines in script for line in lines))
        timeout = plan.get("timeout_ms", 300000)
        spare = self.choice((0, 0, 1, self.randrange(10), 100000))
        late = self.choice((0, 0, 0, self.randrange(20), spare, spare + 1))
        return {"context": {"plan": plan, "execution_id": RUN, "started_at": STARTED,
                            "deadline_ms": STARTED + timeout + spare, "environment": {"k": 0}},
                "wall": STARTED + min(late, spare + 20), "jobs": self.choice((1, 1, 2, 3, 4)),
                "cascade": self.one_in(3), "forced": self.ms() * 3 if self.one_in(10) else -1,
                "persists": not self.one_in(50), "holds": self.one_in(4), "script": script}


def unhurried(scene):
    """The same with all the time it needs, one step after the other."""
    context = scene["context"]
    plan = {key: value for key, value in context["plan"].items() if key != "timeout_ms"}
    return scene | {"context": context | {"plan": plan, "deadline_ms": STARTED + 10_000_000}, "wall": STARTED,
                    "forced": -1, "persists": True, "jobs": 1}


# ---- smaller ----

def without_step(scene, k):
    made = copy.deepcopy(scene)
    steps, gone = made["context"]["plan"]["steps"], IDS[k]
    new = {id: IDS[n if n < k else n - 1] for n, id in enumerate(IDS[:len(steps)])}
    del steps[k], made["script"][k]
    for step in steps:
        step["id"] = new[step["id"]]
        if "depends_on" in step:
            step["depends_on"] = [new[id] for id in step["depends_on"] if id != gone]
    return made


def smaller(scene):
    """Every scenario that is one thing simpler."""
    plan = scene["context"]["plan"]
    count = len(plan["steps"])

    def changed(change):
        made = copy.deepcopy(scene)
        change(made, made["context"]["plan"])
        return made

    if count > 1:
        yield from (without_step(scene, k) for k in reversed(range(count)))
    if scene["jobs"] > 1:
        yield changed(lambda s, p: s.update(jobs=s["jobs"] - 1))
    plain = {"cascade": False, "forced": -1, "persists": True, "holds": False, "wall": STARTED}
    yield from (scene | {key: plain[key]} for key in plain if scene[key] != plain[key])
    if "retry_policy" in plan:
        yield changed(lambda s, p: p.pop("retry_policy"))
        yield from (changed(lambda s, p, key=key: p["retry_policy"].pop(key)) for key in plan["retry_policy"])
    if "timeout_ms" in plan:
        yield changed(lambda s, p: (p.pop("timeout_ms"), s["context"].update(deadline_ms=STARTED + 300000)))
    for k, step in enumerate(plan["steps"]):
        if "timeout_ms" in step:
            yield changed(lambda s, p, k=k: p["steps"][k].pop("timeout_ms"))
        for id in step.get("depends_on", ()):
            yield changed(lambda s, p, k=k, id=id: p["steps"][k]["depends_on"].remove(id))
        if not step.get("depends_on", True):
            yield changed(lambda s, p, k=k: p["steps"][k].pop("depends_on"))
        for n, line in enumerate(scene["script"][k]):
            if len(scene["script"][k]) > 1:
                yield changed(lambda s, p, k=k, n=n: s["script"][k].pop(n))
            if line[0] > 0:
                yield changed(lambda s, p, k=k, n=n: s["script"][k][n].__setitem__(0, 0))
                yield changed(lambda s, p, k=k, n=n: s["script"][k][n].__setitem__(0, s["script"][k][n][0] - 1))
            if line[1]:
                yield changed(lambda s, p, k=k, n=n: s["script"][k][n].__setitem__(1, ""))


def smallest(scene, differs):
    """Drops one thing after the other for as long as it still differs."""
    while True:
        for made in smaller(scene):
            if differs(made):
                scene = made
                break
        else:
            return scene
