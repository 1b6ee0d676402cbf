// SPDX-License-Identifier: Apache-2.0
// call.mjs: calls one function with an object from standard input; the result goes to 3.
// usage: node --random-seed=42 --input-type=module -e TEXT -- path|installed BASE MODULE FUNCTION
import { readFileSync, statSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isAbsolute, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const MOST = 1 << 20;
const [kind, base, module, name] = process.argv.splice(1);
let done = false;

// JSON alone: keys in order, and no number that it would make null.
function plain(key, value) {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new RangeError(`${value} is no number that JSON has`);
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  return Object.fromEntries(Object.keys(value).sort().map((k) => [k, value[k]]));
}

function write(text) {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length;) at += writeSync(3, bytes, at);
}

function fail(type, message) {
  if (done) return;
  done = true;
  // That of process.exit(), where it is one of a failure; 13 is node's own, for what never ends.
  if (!process.exitCode || process.exitCode === 13) process.exitCode = 1;
  message = String(message).slice(0, 2000).replace(/[\ud800-\udfff]/g, '?');
  write(JSON.stringify({ ok: false, error: { type: String(type), message } }));
}

// Where in the package it was: "mine.mjs:7: ", or nothing where no line of it is to blame.
function place(e) {
  for (const line of String(e?.stack ?? '').split('\n')) {
    const [, file, number] = line.match(/^ +at .*?(\/[^()]*):(\d+):\d+\)?$/) ?? [];
    const path = file?.replace(/^\/*(?=\/)/, '');
    if (kind !== 'path' || !path?.startsWith(`${base}/`) || path.endsWith(']')) continue; // [eval1] is this text
    return `${path.slice(base.length + 1)}:${number}: `;
  }
  return '';
}

function failed(e) {
  try {
    if (!done) console.error(e);
    fail(e?.name ?? typeof e, place(e) + (e?.message ?? e));
  } catch {
    fail('Error', 'the function failed, and cannot say how');
  }
  process.exit(1);
}

function give(value) {
  const text = JSON.stringify({ ok: true, value: value === undefined ? null : value }, plain);
  const size = Buffer.byteLength(text);
  if (size > MOST) return fail('ResultTooLarge', `the result has ${size} bytes, allowed ${MOST}`);
  if (text === '{"ok":true}') return fail('TypeError', 'the result is nothing that JSON has');
  if (!done) write(text);
  done = true;
}

function isFile(path) {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

async function load() {
  const require = createRequire(pathToFileURL(`${resolve(base || '.')}/`));
  let found;
  if (kind === 'path')
    for (const end of ['', '.mjs', '.js', '.cjs', '/index.mjs', '/index.js'])
      if (isFile(resolve(base, module + end))) return import(pathToFileURL(resolve(base, module + end)));
  try {
    found = require.resolve(module);
  } catch {
    return import(module); // it says best what is wrong with it
  }
  return import(isAbsolute(found) ? pathToFileURL(found) : found);
}

async function call() {
  const params = JSON.parse(readFileSync(0, 'utf8'));
  let owner;
  let target = await load();
  if (!(name.split('.')[0] in target) && target.default) target = target.default;
  for (const part of name.split('.')) [owner, target] = [target, target?.[part]];
  if (typeof target !== 'function') throw new TypeError(`${name} is no function of ${module}`);
  give(await target.call(owner, params));
}

process.on('uncaughtException', failed);
process.on('exit', () => fail('Unfinished', 'it ended before the function gave a result'));
try {
  await call();
} catch (e) {
  failed(e);
}
process.exit(process.exitCode); // what goes on is not waited for
