"""ledger.py: a fresh ledger for every case, and the real `writ` on it.

usage of the tests here: NAME.py [--postgres] WRIT      prints TAP

A case is given a Ledger. It does not know where the ledger is kept: in a file, or with --postgres in
a database of its own on a server that the first case starts. WRIT_LONG=1 plays the long forms.
"""
import contextlib
import datetime
import json
import os
import pathlib
import subprocess
import sys

for folder in ("exec", "faces", "postgres"):
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / folder))
import ground  # noqa: E402
import tap  # noqa: E402
from ground import hold  # noqa: E402

POSTGRES = "--postgres" in sys.argv
LONG = os.environ.get("WRIT_LONG") == "1"
STATES = ("planned", "running", "succeeded", "failed", "cancelled")
ABSENT = object()  # the value of a member that an event leaves out

TOP = ("tenantId", "robotId", "module", "source", "type", "createdAt")
LINEAGE = ("dependsOnLedgerIds", "rerunOfExecutionId")
ENDS = {  # what an event of this state needs, if the case does not say
    "succeeded": {"result": {"pages": 3}},
    "failed": {"error": {"code": "MODEL_OUTPUT_INVALID", "message": "bad", "retryable": True}},
    "cancelled": {"cancelReason": "a person asked"},
}
BLOCKED = {"code": "COHERENCE_BLOCKED", "message": "inputs do not fit", "retryable": False}
REVIEW = "PARTIAL_REQUIRES_REVIEW"


def instant(text):
    """A timestamp of the ledger as milliseconds."""
    then = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    return round(then.timestamp() * 1000)


def stamp(ms):
    then = datetime.datetime.fromtimestamp(ms // 1000, datetime.timezone.utc)
    return then.strftime("%Y-%m-%dT%H:%M:%S") + f".{ms % 1000:03}Z"


def text_of(event):
    """An event as a line. What is text already is not touched, so that it can be wrong."""
    if isinstance(event, bytes):
        return event + b"\n"
    return json.dumps(event, ensure_ascii=False).encode() + b"\n"


class Ledger(ground.Place):
    def __init__(self, scratch, address=None):
        super().__init__(scratch)
        self.scratch = scratch
        self.address = address or (databases().make() if POSTGRES else None)
        self._bases = {}

    def other(self, name):
        """A second ledger, with a state directory and a key of its own."""
        return Ledger(self.scratch / name)

    @property
    def file(self):
        return pathlib.Path(self.address) if self.address else self.state / "ledger.db"

    def environment(self, more):
        return super().environment({"WRIT_LEDGER": self.address} | (more or {}))

    # ---- asking writ ----

    def lines(self, *args, status=0, **more):
        """The JSON lines that a verb prints."""
        run = self.writ(*args, "--json", **more)
        hold(run.status == status, run)
        return [json.loads(line) for line in run.out.splitlines()]

    def one(self, *args, **more):
        """The one JSON object that a verb prints."""
        answers = self.lines(*args, **more)
        if len(answers) != 1:
            raise AssertionError(f"{args}: {len(answers)} lines, expected 1")
        return answers[0]

    def append(self, *events, policy=None):
        """One answer for each event; the exit status tells whether one was refused."""
        run = self.writ("ledger", "append", "-", "--json", *(["--policy", policy] if policy else []),
                        stdin=b"".join(map(text_of, events)))
        answers = [json.loads(line) for line in run.out.splitlines()]
        hold(len(answers) == len(events), run)
        hold(run.status == any(answer["status"] == "refused" for answer in answers), run)
        return answers

    def accept(self, *events, **more):
        """Appends what must be new; returns the ids."""
        answers = self.append(*events, **more)
        for answer in answers:
            same(answer["status"], "appended", answer)
        return [answer["ledger_id"] for answer in answers]

    def refuse(self, code, event, pointer=None, **more):
        """Appends what must be refused with this code, at this place; returns the answer."""
        answer, = self.append(event, **more)
        same((answer["status"], answer.get("code")), ("refused", code), answer)
        same(answer["ledger_id"], None, answer)
        true(code in [problem["code"] for problem in answer["problems"]], answer)
        if pointer is not None:
            same(answer["pointer"], pointer, answer)
        return answer

    def enter(self, document=None, subject="base", tenant=None, status="appended"):
        """Enters an input; returns the answer."""
        path = self.put("document.json", json.dumps(document if document is not None else {"a": 1}))
        answer = self.one("ledger", "input", path, "--subject", subject,
                          *(["--tenant", tenant] if tenant else []))
        same(answer["status"], status, answer)
        return answer

    def log(self, *filters):
        return self.lines("log", "--limit", "0", *filters)

    def entry(self, id):
        return self.one("show", id)["entry"]

    def rejects(self):
        return self.lines("ledger", "rejects", "--limit", "0")

    def verify(self, *args, status=0):
        answer = self.one("verify", *args, status=status)
        same(answer["intact"], status == 0, answer)
        return answer

    # ---- events ----

    @property
    def base(self):
        """An input to rest on: its id, and when it was created."""
        return self.base_of("coherent")

    def base_of(self, coherence):
        """An input that makes what rests on it so: as it was entered, erased, or followed by a newer one."""
        if coherence not in self._bases:
            subject = "base" if coherence == "coherent" else f"base-{coherence}"
            id = self.enter(subject=subject)["ledger_id"]
            self._bases[coherence] = id, self.entry(id)["createdAt"]
            if coherence == "partial":
                self.one("ledger", "erase", id, "--reason", "so that it is missing")
            if coherence == "stale":
                self.enter({"newer": 1}, subject)
        return self._bases[coherence]

    def event(self, state="planned", execution="exec-1", **members):
        """An event that nothing speaks against, with these members in place of its own."""
        coherence = members.get("coherenceStatus")
        id, moment = self.base_of(coherence if coherence in ("partial", "stale") else "coherent")
        made = {"tenantId": "t-1", "robotId": "r-1", "module": "agent-builder",
                "source": "agent-builder", "type": "execution_event", "state": state,
                "createdAt": moment,
                "payload": {"executionId": execution, "workflowVersion": "v1", "agentVersion": "v1",
                            "executionContractVersion": "v1", "attempt": 1, "target": "site",
                            "action": "plan", "snapshotAt": moment, "coherenceStatus": "coherent",
                            "dryRun": True} | ENDS.get(state, {}),
                "lineage": {"dependsOnLedgerIds": [id]}}
        for name, value in members.items():
            at = made if name in TOP else made["lineage"] if name in LINEAGE else made["payload"]
            at[name] = value
            if value is ABSENT:
                del at[name]
        return made

    def verdict(self, execution="exec-1", **members):
        """The one event of an execution that the coherence gate stopped."""
        return self.event("failed", execution, **{"coherenceStatus": "partial", "error": BLOCKED} | members)

    def review(self, execution="exec-1", **members):
        """The one event of an execution that waits for a person."""
        return self.event("cancelled", execution, **{"coherenceStatus": "partial", "dryRun": False,
                                                     "cancelReason": REVIEW} | members)

    def chain(self, execution, *states, **members):
        """Takes an execution through these states."""
        return self.accept(*(self.event(state, execution, **members) for state in states))


# ---- saying what must hold ----

def same(found, expected, about=""):
    if found != expected:
        raise AssertionError(f"found {found!r}, expected {expected!r}\n{about}"[:3000])


def true(truth, about=""):
    if not truth:
        raise AssertionError(str(about)[:3000])


# ---- other ways to run writ ----

UID = 12345


def limited(place, before, *args, **more):
    """Runs writ behind another command."""
    done = subprocess.run([*before, tap.WRIT, *map(str, args)], cwd=place.work, stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=60, env=place.environment({}), **more)
    return tap.Answer(done.returncode, done.stdout, done.stderr, 0)


def ordinary(place):
    """How to start a program as an ordinary user, who can reach writ and this place."""
    if os.geteuid() != 0:
        return {}
    place.scratch.chmod(0o755)
    user = {"user": UID, "group": UID, "extra_groups": []}
    try:
        if subprocess.run([tap.WRIT, "--version"], capture_output=True, cwd=place.work, **user).returncode == 0:
            return user
    except PermissionError:
        pass
    raise tap.Skip("an ordinary user cannot run writ here")


# ---- cases ----

class Databases:
    """A PostgreSQL server, and a database for every ledger."""

    def __init__(self, server):
        self.server, self.count = server, 0
        newer = int(server.sql("SHOW server_version_num")) >= 150000  # those before knew no other way
        self.how = " STRATEGY file_copy" if newer else ""

    def make(self, like="template1"):
        self.count += 1
        name = f"ledger_{self.count}"
        self.server.sql(f"CREATE DATABASE {name} OWNER keeper TEMPLATE {like}{self.how}")
        return self.server.address.replace("///ledger?", f"///{name}?")

    @staticmethod
    def name(address):
        return address.split("///")[1].split("?")[0]

    def copy(self, address):
        return self.make(self.name(address))

    def sql(self, address, *statements, **more):
        """The rows that the statements answer, as texts."""
        said = self.server.sql("SET search_path = writ", *statements, database=self.name(address), **more)
        return [line.split("|") for line in said.splitlines()]

    def session(self, address):
        """A psql that is open for as long as it is used."""
        return self.server.session(self.name(address))


# A database for every case waits for the disk a hundred times; what is lost with the power is not
# asked here, and tests/postgres has a server that keeps its promises.
HASTY = ("fsync=off", "full_page_writes=off")

_until_the_end = contextlib.ExitStack()
_started = []


def databases():
    """Those of this test program."""
    if not _started:
        import server
        try:
            _started.append(Databases(_until_the_end.enter_context(server.server(HASTY))))
        except server.Missing as why:
            raise tap.Skip(why) from None
    return _started[0]


def collector(cases):
    return ground.collector(cases, Ledger)


def main(cases, sandbox=False):
    """sandbox: the cases run commands."""
    with _until_the_end:
        if POSTGRES:
            try:
                databases()
            except tap.Skip as why:
                print("1..0 # SKIP", why)
                return 0
        return ground.main(cases) if sandbox else tap.play(cases)
