import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import { limits } from "#base";
import { eventually } from "../../test/support/eventually.ts";
import { loadConfig } from "../config/index.ts";
import { AuditLog } from "./audit-log.ts";
import { beginning, chained } from "./chain.ts";
import type { AuditEntry } from "./entry.ts";
import { auditPaths } from "./paths.ts";
import { verifyAudit } from "./verify.ts";

const entry: AuditEntry = {
  time: "2026-01-01T00:00:00.000Z",
  type: "call",
  request_id: "r",
  plane: "external",
  protocol: "rest",
  method: "PoolService.CreatePool",
  permission: "pool:write",
  outcome: "OK",
  kind: "user",
  subject: "anna",
  tenant: "0000000000000000000000000A",
  address: "192.0.2.1",
  target: { id: "01ARZ3NDEKTSV4RRFFQ69G5FAV" },
};

function start(t: ExecutionContext, set: readonly string[] = []) {
  const folder = mkdtempSync(join(tmpdir(), "audit-"));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const { config } = loadConfig({
    profile: "production",
    environment: {},
    set: ["audit.sink=file", `storage.dir=${folder}`, ...set],
  });
  const logged: string[] = [];
  const log = {
    debug: () => undefined,
    info: () => undefined,
    warn: () => undefined,
    error: (_fields: object, text: string) => void logged.push(text),
  };
  const paths = auditPaths(config);
  const files = { ...paths, logs: [paths.log] };
  return {
    config,
    paths,
    logged,
    open: () => AuditLog.open(config, log)!,
    lines: (file = paths.log) => readFileSync(file, "utf8").trimEnd().split("\n"),
    verify: (logs = files.logs, beginsAt?: number) =>
      verifyAudit({ ...files, logs, ...(beginsAt !== undefined && { beginsAt }) }),
  };
}

/** A log with so many calls, closed. */
async function written(t: ExecutionContext, calls: number, set: readonly string[] = []) {
  const parts = start(t, set);
  const audit = parts.open();
  audit.add({
    entries: Array.from({ length: calls }, (_, i) => ({ ...entry, request_id: `r${i}` })),
    lost: 0,
  });
  await audit.close();
  const change = (edit: (lines: string[]) => string[]) =>
    writeFileSync(parts.paths.log, `${edit(parts.lines()).join("\n")}\n`);
  return { ...parts, change };
}

test("given an untouched log, it is intact, and its last entry is a checkpoint", async (t) => {
  const { verify, lines } = await written(t, 5);
  const { findings, summary } = await verify();
  t.deepEqual(findings, []);
  t.regex(summary, /^8 entries, 1 to 8, .*; 1 checkpoints; 0 calls recorded as lost$/);
  const types = lines().map((line) => (JSON.parse(line) as { type: string }).type);
  t.deepEqual(types, ["start", "call", "call", "call", "call", "call", "stop", "checkpoint"]);
});

const damages: [what: string, edit: (lines: string[]) => string[], finding: RegExp][] = [
  [
    "an entry was changed",
    (lines) => lines.map((line, i) => (i === 3 ? line.replace('"anna"', '"otto"') : line)),
    /^changed: entry 4 \(.*audit.log:4\) is not as it was written$/,
  ],
  [
    "an entry was changed and given a hash that fits",
    (lines) => lines.map((line, i) => (i === 3 ? rehashed(line) : line)),
    /^changed: entry 4 is not the one that entry 5 was written after/,
  ],
  ["an entry was removed", (lines) => lines.filter((_, i) => i !== 3), /^missing: entry 4 is not in the log/],
  [
    "several entries were removed",
    (lines) => lines.filter((_, i) => i < 2 || i > 4),
    /^missing: entries 3 to 5 are not in the log/,
  ],
  [
    "two entries changed places",
    (lines) => lines.with(2, lines[3]!).with(3, lines[2]!),
    /^out of order: entry 3/,
  ],
  [
    "the end was cut off",
    (lines) => lines.slice(0, 5),
    /^cut off: the log ends with entry 5, but entry 8 was signed at .*: entries 6 to 8 are missing$/,
  ],
  [
    "an entry is half there",
    (lines) => lines.with(3, lines[3]!.slice(0, 40)),
    /^changed: .*:4 is not a whole entry/,
  ],
  [
    "the beginning was removed",
    (lines) => lines.slice(2),
    /^missing: the log begins with entry 3 \(.*audit.log:1\) and not with 1: .*--begins-at 3/,
  ],
  ["everything was removed", () => [""], /^empty: there is no entry$/],
];

for (const [what, edit, finding] of damages)
  test(`given a log in which ${what}, the check says so`, async (t) => {
    const { change, verify } = await written(t, 5);
    change(edit);
    const { findings } = await verify();
    t.true(
      findings.some((found) => finding.test(found)),
      findings.join("\n"),
    );
  });

function rehashed(line: string): string {
  const {
    audit: _,
    seq,
    prev,
    hash: __,
    ...rest
  } = JSON.parse(line) as {
    audit: number;
    seq: number;
    prev: string;
    hash: string;
  };
  return chained({ ...rest, subject: "otto" }, { seq: seq - 1, hash: prev }).line.trimEnd();
}

test("given a log that was chained anew from the first entry, its checkpoints and its signed position betray it", async (t) => {
  const { change, verify } = await written(t, 5);
  change((lines) => {
    let last = beginning;
    return lines.map((line) => {
      const {
        audit: _,
        seq: __,
        prev: ___,
        hash: ____,
        ...rest
      } = JSON.parse(line) as Record<string, unknown>;
      const { line: made, position } = chained({ ...rest, subject: "otto" }, last);
      last = position;
      return made.trimEnd();
    });
  });
  const { findings } = await verify();
  t.regex(findings.join("\n"), /the checkpoint 8 .* was not signed with this key/);
  t.regex(findings.join("\n"), /entry 8 .* is not the one that was signed/);
});

test("without the signed position, or without the key, the check does not say intact", async (t) => {
  const { paths, verify } = await written(t, 1);
  renameSync(paths.head, `${paths.head}.away`);
  t.regex((await verify()).findings.join(), /^unsigned: there is no .*audit.head/);
  renameSync(`${paths.head}.away`, paths.head);
  rmSync(paths.publicKey);
  t.regex((await verify()).findings.join(), /^unsigned: no public key/);
});

test("given a signed position that was set back, it is not believed", async (t) => {
  const { paths, change, verify } = await written(t, 5);
  const head = JSON.parse(readFileSync(paths.head, "utf8")) as object;
  const cut = JSON.parse(readFileSync(paths.log, "utf8").split("\n")[4]!) as { hash: string };
  writeFileSync(paths.head, JSON.stringify({ ...head, seq: 5, hash: cut.hash }));
  change((lines) => lines.slice(0, 5));
  t.regex((await verify()).findings.join(), /audit.head was not signed with this key/);
});

test("a checkpoint is at least every 1,000th entry, and without one the check says so", async (t) => {
  const { lines, change, verify } = await written(t, 2_500);
  t.deepEqual((await verify()).findings, []);
  const places = lines().flatMap((line, i) => (line.includes('"type":"checkpoint"') ? [i + 1] : []));
  t.deepEqual(places, [1_000, 2_000, 2_505]);
  change((all) => all.slice(0, 999).concat(all.slice(1_000)));
  t.regex(
    (await verify()).findings.join("\n"),
    /missing: there is no checkpoint among the 1000 entries before/,
  );
});

test("after a restart the chain goes on, also after a last line that was not written to its end", async (t) => {
  const { open, paths, verify, lines } = await written(t, 2);
  appendFileSync(paths.log, '{"audit":1,"seq":6,"ti');
  const audit = open();
  audit.add({ entries: [entry], lost: 0 });
  await audit.close();
  t.deepEqual((await verify()).findings, []);
  t.like(JSON.parse(lines()[5]!), { seq: 6, type: "start", torn_bytes: 22 });
});

test("after a restart behind a cut the missing entries stay visible, and the log of the service tells", async (t) => {
  const { open, change, verify, logged } = await written(t, 5);
  change((lines) => lines.slice(0, 5));
  await open().close();
  t.deepEqual(logged, ["the end of the audit log is missing"]);
  t.regex((await verify()).findings.join(), /^missing: entries 6 to 8 are not in the log/);
});

test("a log that was moved away is followed by a new one, and both are one chain", async (t) => {
  const { open, paths, verify } = start(t);
  const audit = open();
  audit.add({ entries: [entry, entry], lost: 0 });
  await eventually("it is written", () => audit.snapshot()[0]!.values[0]!.value === 3 || undefined);
  const old = `${paths.log}.1`;
  renameSync(paths.log, old);
  audit.add({ entries: [entry], lost: 0 });
  await audit.close();
  t.deepEqual((await verify([old, paths.log])).findings, []);
  t.regex((await verify()).findings.join(), /^missing: the log begins with entry 4 .* and not with 1: /);
  const told = await verify(undefined, 4);
  t.deepEqual(told.findings, []);
  t.regex(told.summary, /entries 1 to 3 were not read/);
});

test("given a log that has to begin at an entry, a later beginning is found and an earlier one is not", async (t) => {
  const { change, verify } = await written(t, 5);
  change((lines) => lines.slice(3));
  for (const beginsAt of [1, 2, 3])
    t.regex((await verify(undefined, beginsAt)).findings.join(), /^missing: the log begins with entry 4 /);
  for (const beginsAt of [4, 5]) t.deepEqual((await verify(undefined, beginsAt)).findings, []);
});

test("a sink that fails is tried again, and every entry is there once", async (t) => {
  const { open, paths, verify, logged, lines } = start(t);
  const audit = open();
  await eventually(
    "the first one is written",
    () => audit.snapshot()[0]!.values[0]!.value === 1 || undefined,
  );
  rmSync(paths.log);
  mkdirSync(paths.log);
  audit.add({ entries: [entry, entry], lost: 0 });
  await eventually("it is told", () => logged.length > 0 || undefined);
  rmSync(paths.log, { recursive: true });
  await eventually("it is written", () => {
    try {
      return lines().length === 2 || undefined;
    } catch {
      return undefined;
    }
  });
  await audit.close();
  t.deepEqual((await verify(undefined, 2)).findings, []);
  t.deepEqual(logged, ["the audit log cannot be written; it is tried again"]);
});

test("entries beyond what may wait are lost, counted in the chain and in the metrics", async (t) => {
  const { open, verify, logged, lines } = start(t);
  const audit = open();
  const many = Array.from({ length: limits.auditWaitingMax + 10 }, () => entry);
  audit.add({ entries: many, lost: 5 });
  const lost = audit.snapshot()[1]!.values[0]!.value;
  await audit.close();
  t.true(lost! >= 14 && lost! <= 15, String(lost));
  t.is(logged.length, 1);
  const { findings, summary } = await verify();
  t.deepEqual(findings, []);
  t.regex(summary, new RegExp(`; ${lost} calls recorded as lost$`));
  t.true(lines().some((line) => line.includes(`"type":"lost","count":${lost}`)));
});

test("audit.redact_pii: persons, addresses and chosen names are hashes that stay the same; free text is left out", async (t) => {
  const parts = start(t, ["audit.redact_pii=true"]);
  const audit = parts.open();
  const key = { kind: "api_key", subject: "api_key:01ARZ3NDEKTSV4RRFFQ69G5FAV", owner: "anna" };
  audit.add({
    entries: [
      { ...entry, reason: "anna asked", target: { ...entry.target, external_id: "anna@example.com" } },
      { ...entry, ...key },
      { ...entry, kind: "service", subject: "billing" },
    ],
    lost: 0,
  });
  await audit.close();
  const text = parts.lines().join("\n");
  t.notRegex(text, /anna|192\.0\.2/);
  const [, first, second, third] = parts.lines().map((line) => JSON.parse(line) as Record<string, unknown>);
  t.regex(String(first!.subject), /^redacted:[0-9a-f]{24}$/);
  t.is(second!.owner, first!.subject);
  t.is(second!.subject, key.subject);
  t.is(third!.subject, "billing");
  t.like(first, { reason: "redacted", target: entry.target!, tenant: entry.tenant });
  t.deepEqual((await parts.verify()).findings, []);
});

test("without a hash chain the entries are numbered, and the check says that nothing can be checked", async (t) => {
  const { lines, verify } = await written(t, 1, ["audit.hash_chain=false"]);
  t.deepEqual(Object.keys(JSON.parse(lines()[1]!) as object).slice(0, 3), ["audit", "seq", "time"]);
  t.regex((await verify()).findings.join("\n"), /is not a whole entry of a chain/);
});

test("a key file that is none, or a log that is another file, stops the start and changes nothing", (t) => {
  const { open, paths } = start(t);
  writeFileSync(paths.log, "root:x:0");
  t.throws(open, { message: /audit.file: .* is not an audit log/ });
  t.is(readFileSync(paths.log, "utf8"), "root:x:0");
  const named = start(t, [`audit.signing_key_file=${paths.log}`]);
  t.throws(named.open, { message: /^audit\.signing_key_file: .* cannot be used/ });
});
