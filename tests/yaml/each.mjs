// SPDX-License-Identifier: Apache-2.0
// each.mjs: reads many YAML documents with the npm package `yaml`, and says in one line of JSON what each is.
//
// usage: node each.mjs PACKAGE    standard input as that of each.c
//
// null: refused. A text is ["p", text] without quotes and ["t", text] otherwise; a list ["l", values]; a map
// ["m", [[key, value], ..]].
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const { parseDocument, isAlias, isMap, isSeq } = createRequire(import.meta.url)(process.argv[2]);
const how = { version: "1.2", schema: "failsafe", uniqueKeys: false, merge: false, logLevel: "silent", prettyErrors: false };

function mark(node, doc, above) {
  if (node === null || node === undefined) return ["p", ""];
  if (isAlias(node)) return mark(node.resolve(doc), doc, above);
  if (above.includes(node) || node.tag && node.srcToken?.type === "tag") throw new Error("a cycle");
  const below = above.concat([node]);
  if (isMap(node)) return ["m", node.items.map((pair) => [mark(pair.key, doc, below), mark(pair.value, doc, below)])];
  if (isSeq(node)) return ["l", node.items.map((item) => isMap(item) || !item?.key ? mark(item, doc, below) :
    ["m", [[mark(item.key, doc, below), mark(item.value, doc, below)]]])];
  return [node.type === "PLAIN" ? "p" : "t", String(node.value ?? "")];
}

function say(text) {
  try {
    const doc = parseDocument(text, how);
    return doc.errors.length ? null : mark(doc.contents, doc, []);
  } catch {
    return null;
  }
}

const input = readFileSync(0);
const lines = [];
for (let at = 0; at < input.length;) {
  const colon = input.indexOf(":", at);
  const end = colon + 1 + Number(input.toString("latin1", at, colon));
  lines.push(JSON.stringify(say(input.toString("utf8", colon + 1, end))));
  at = end;
}
process.stdout.write(lines.join("\n") + "\n");
