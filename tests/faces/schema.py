#!/usr/bin/env python3
"""schema: `writ explain KIND --schema` and `writ check` must not contradict each other.

usage: schema.py WRIT      prints TAP

Every good document there is, and every document that one change makes of it, is given to both. The
schema may let through what only a rule between fields refuses; it may never refuse what writ takes.
`writ check --schema` must say of each what a small validator here says, or refuse more where a format
tells. Where python3-jsonschema is installed it gives a second opinion on the schemas.
"""
import copy
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import tap

try:
    import jsonschema
except ImportError:
    jsonschema = None

ROOT = pathlib.Path(__file__).resolve().parents[2]
BATCH = 2000


def writ(*args):
    return subprocess.run([tap.WRIT, *args], stdout=subprocess.PIPE, check=False).stdout


def reports(paths):
    """What `writ check --json` says of each file."""
    for i in range(0, len(paths), BATCH):
        yield from map(json.loads, writ("check", "--json", *paths[i:i + BATCH]).splitlines())


# ---- a small validator: the keywords that writ's schemas use, and no others ----

TYPES = {
    "object": lambda v: isinstance(v, dict),
    "array": lambda v: isinstance(v, list),
    "string": lambda v: isinstance(v, str),
    "boolean": lambda v: isinstance(v, bool),
    "null": lambda v: v is None,
    "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "number": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
}


def number(v):
    return TYPES["number"](v)


def extra(schema, v):
    """The members that no property of the schema speaks of."""
    return [v[key] for key in v if key not in schema.get("properties", {})]


def same(a, b):
    return a == b and isinstance(a, bool) == isinstance(b, bool)


KEYWORDS = {  # keyword: does the value fit? (rule, value, schema)
    "type": lambda r, v, s: any(TYPES[t](v) for t in (r if isinstance(r, list) else [r])),
    "enum": lambda r, v, s: any(same(v, choice) for choice in r),
    "const": lambda r, v, s: same(v, r),
    "anyOf": lambda r, v, s: any(fits(one, v) for one in r),
    "required": lambda r, v, s: not isinstance(v, dict) or all(key in v for key in r),
    "properties": lambda r, v, s: not isinstance(v, dict) or all(
        fits(r[key], v[key]) for key in v if key in r),
    "additionalProperties": lambda r, v, s: not isinstance(v, dict) or all(
        fits(r, one) for one in extra(s, v)),
    "minProperties": lambda r, v, s: not isinstance(v, dict) or len(v) >= r,
    "maxProperties": lambda r, v, s: not isinstance(v, dict) or len(v) <= r,
    "items": lambda r, v, s: not isinstance(v, list) or all(fits(r, one) for one in v),
    "minItems": lambda r, v, s: not isinstance(v, list) or len(v) >= r,
    "maxItems": lambda r, v, s: not isinstance(v, list) or len(v) <= r,
    "minLength": lambda r, v, s: not isinstance(v, str) or len(v) >= r,
    "maxLength": lambda r, v, s: not isinstance(v, str) or len(v) <= r,
    "pattern": lambda r, v, s: not isinstance(v, str) or re.search(r, v) is not None,
    "minimum": lambda r, v, s: not number(v) or v >= r,
    "maximum": lambda r, v, s: not number(v) or v <= r,
}
SILENT = {"$schema", "$id", "$comment", "title", "description", "default", "examples", "format"}


def fits(schema, value):
    if isinstance(schema, bool):
        return schema
    return all(KEYWORDS[key](rule, value, schema) for key, rule in schema.items() if key not in SILENT)


def strangers(schema):
    """The keywords in a schema that the small validator does not know."""
    if isinstance(schema, bool):
        return set()
    found = set(schema) - set(KEYWORDS) - SILENT
    for part in [*schema.get("properties", {}).values(), *schema.get("anyOf", []),
                 *[schema[key] for key in ("items", "additionalProperties") if key in schema]]:
        found |= strangers(part)
    return found


# ---- documents: the good ones, and what one change makes of them ----

def good_documents():
    """(path, kind) of every file that writ finds right."""
    paths = [path for folder in ("tests/faces/files", "tests/data", "examples")
             for path in sorted((ROOT / folder).rglob("*")) if path.is_file()]
    return [(pathlib.Path(report["file"]), report["kind"]) for report in reports(paths) if report["ok"]]


def places(value, way=()):
    yield way
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield from places(value[key], way + (key,))


OTHERS = [None, True, -1, 0, 1, 1.5, 10 ** 15, "", "x", "x" * 2000, [], {}, [1], {"x": 1}, ["x"]]


def changed(document):
    """(what was done, the document it made): each place dropped, replaced, given one member more."""
    for way in places(document):
        for other in OTHERS:
            whole = copy.deepcopy({"": document})
            *up, last = ("",) + way
            holder = whole
            for key in up:
                holder = holder[key]
            holder[last] = other
            yield f"{'/'.join(map(str, way))} = {json.dumps(other)[:20]}", whole[""]
        whole = copy.deepcopy(document)
        holder = whole
        for key in way[:-1]:
            holder = holder[key]
        if way:
            del holder[way[-1]]
            yield f"{'/'.join(map(str, way))} dropped", whole
        whole = copy.deepcopy(document)
        holder = whole
        for key in way:
            holder = holder[key]
        if isinstance(holder, dict):
            holder["stranger"] = 1
            yield f"{'/'.join(map(str, way))} + stranger", whole


def checked(paths, *options):
    return [json.loads(line) for i in range(0, len(paths), BATCH)
            for line in writ("check", "--json", *options, *paths[i:i + BATCH]).splitlines()]


def verdicts_of(paths, *options):
    """Whether `writ check` with these options takes each file."""
    return [report["ok"] for report in checked(paths, *options)]


def is_of_an_action(problem):
    """What an action says to its step is in no schema."""
    return problem["code"] == "ACTION_NOT_FOUND" or re.match(r"/steps/\d+/payload\b", problem["pointer"])


def contradictions(kind, schema, document, scratch):
    """Changes on which the schema refuses what writ takes; and how many both refuse."""
    changes = list(changed(document))
    paths = []
    for i, (_, mutant) in enumerate(changes):
        paths.append(scratch / f"{i}.json")
        paths[-1].write_text(json.dumps(mutant))
    said = checked(paths, "--as", kind)
    verdicts = [report["ok"] for report in said]
    (scratch / "schema").write_text(json.dumps(schema))
    engine = verdicts_of(paths, "--schema", scratch / "schema")
    schemas = [fits(schema, mutant) for _, mutant in changes]
    wrong = [what for (what, _), ok, fit in zip(changes, verdicts, schemas) if ok and not fit]
    wrong += [f"{what}: --schema {'takes' if held else 'refuses'} it"
              for (what, _), ok, fit, held in zip(changes, verdicts, schemas, engine, strict=True)
              if (held and not fit) or (ok and not held)]
    refused = sum(not all(problem["severity"] == "warning" or is_of_an_action(problem)
                          for problem in report["problems"]) for report in said)
    return wrong, len(changes), refused, sum(not fit for fit in schemas)


def main():
    cases = tap.Tap()
    kinds = [row["kind"] for row in json.loads(writ("explain", "kinds", "--json"))["tables"][0]["rows"]]
    schemas = {kind: json.loads(writ("explain", kind, "--schema")) for kind in kinds}
    good = good_documents()
    for kind, schema in schemas.items():
        unknown = strangers(schema)
        cases.case(f"{kind}: a schema of the keywords that are known here",
                   f"unknown: {sorted(unknown)}" if unknown else "")
        if jsonschema:
            try:
                jsonschema.Draft202012Validator.check_schema(schema)
                fault = ""
            except jsonschema.SchemaError as error:
                fault = error.message
            cases.case(f"{kind}: the meta-schema of 2020-12 takes it", fault)
        else:
            cases.case(f"{kind}: the meta-schema of 2020-12 takes it", skip="no python3-jsonschema")
        cases.case(f"{kind}: there is a good document to try",
                   "" if any(kind == other for _, other in good) else "none")
    with tempfile.TemporaryDirectory() as scratch:
        for path in sorted((ROOT / "examples/wrong").iterdir()):
            kind = path.stem
            (pathlib.Path(scratch) / "schema").write_text(json.dumps(schemas[kind]))
            taken = verdicts_of([path], "--schema", f"{scratch}/schema")
            cases.case(f"{path.relative_to(ROOT)}: refused by the schema of {kind}",
                       "it is taken" if taken != [False] else "")
    for path, kind in good:
        document = json.loads(writ("canon", path))
        fault = "" if fits(schemas[kind], document) else "the schema refuses it"
        if jsonschema and not jsonschema.Draft202012Validator(schemas[kind]).is_valid(document):
            fault = "python3-jsonschema refuses it"
        cases.case(f"{path.relative_to(ROOT)}: taken by the schema of {kind}", fault)
        with tempfile.TemporaryDirectory() as scratch:
            wrong, count, by_writ, by_schema = contradictions(kind, schemas[kind], document,
                                                              pathlib.Path(scratch))
        if not wrong and by_schema < by_writ * 0.8:
            wrong = [f"of {count} changes writ refuses {by_writ}, the schema only {by_schema}"]
        cases.case(f"{path.relative_to(ROOT)}: one change, and schema and check still agree",
                   "\n".join(wrong))
    return cases.finish()


if __name__ == "__main__":
    sys.exit(main())
