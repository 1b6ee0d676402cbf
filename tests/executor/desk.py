"""desk.py: a fresh ledger for every case, and pure functions called and recorded in it.

usage of the tests here: NAME.py [--postgres] WRIT      prints TAP
"""
import hashlib
import json
import pathlib
import sys
import uuid

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "ledger"))
import ledger  # noqa: E402
import ground  # noqa: E402
from ledger import same  # noqa: E402

MEMBERS = ["executor_id", "executor_version", "status", "reason_codes", "input_digest", "output_digest",
           "trace_id", "duration_ms", "ts_utc"]
LIMITS = {"timeout_ms": 2000, "max_payload_bytes": 4096, "max_depth": 8, "max_list_items": 16}


def digest(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


def canon(value):
    """RFC 8785 for what these cases use: text, whole numbers, and keys within the BMP."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


class Desk(ledger.Ledger):
    def call(self, executor, payload=None, *args, raw=None, **more):
        """What writ prints and how it ends: for cases that go wrong."""
        given = raw if raw is not None else json.dumps(payload).encode()
        return self.writ("apply", executor, *args, stdin=given, **more)

    def apply(self, executor, payload=None, *args, status="SUCCESS", reasons=(), **more):
        """The result of one call, which must come to this."""
        run = self.call(executor, payload, "--json", *args, **more)
        ledger.hold(run.status == {"SUCCESS": 0, "FAILED": 1, "BLOCKED": 77}[status], run)
        result = json.loads(run.out)
        same((result["status"], result["reason_codes"]), (status, list(reasons)), result)
        return result

    def output(self, executor, payload=None, *args, **more):
        return self.apply(executor, payload, "--output", *args, **more)["output"]

    def records(self, trace_id):
        """What the ledger has about a call, oldest first."""
        return [entry["body"] for entry in self.log("--kind", "action_audit")
                if entry["subject"] == trace_id]

    # ---- executors of our own ----

    def manifest(self, kind, source, text, id="mine", version="1.0.0", limits=None, fixtures=None, **more):
        """Writes a manifest and its program; returns the manifest's path."""
        self.put(source, text)
        made = {"executor_id": id, "version": version, "capabilities": [], "kind": kind,
                "source": source.rsplit("/", 1)[-1], "limits": LIMITS | (limits or {}),
                "fixtures": [{"payload": None}] if fixtures is None else fixtures} | more
        made = {name: value for name, value in made.items() if value is not ledger.ABSENT}
        return self.put(source.rsplit(".", 1)[0] + ".json", json.dumps(made))

    def jq(self, program, **more):
        return self.manifest("jq", f"{more.get('id', 'mine')}.jq", program, **more)

    def add(self, manifest, status=0):
        run = self.writ("executors", "add", manifest, "--json")
        ledger.hold(run.status == status, run)
        return json.loads(run.out)

    def add_jq(self, program, **more):
        answer = self.add(self.jq(program, **more))
        same(answer["accepted"], True, answer)
        return answer


def bare(schema):
    """A JSON Schema without the words for people."""
    if isinstance(schema, dict):
        return {key: bare(value) for key, value in schema.items() if key != "description" or not isinstance(value, str)}
    return [bare(one) for one in schema] if isinstance(schema, list) else schema


def trace():
    return str(uuid.uuid4())


def collector(cases):
    return ground.collector(cases, Desk)
