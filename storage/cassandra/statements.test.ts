import { readdirSync, readFileSync } from "node:fs";
import test from "ava";
import {
  guardedStatements,
  journalStatements,
  memberStatements,
  metaStatements,
  objectStatements,
  tableStatements,
} from "./statements.ts";

const folder = new URL(".", import.meta.url);
const statements = Object.values({
  ...prefixed("journal", journalStatements),
  ...prefixed("table", tableStatements),
  ...prefixed("object", objectStatements),
  ...prefixed("meta", metaStatements),
  ...prefixed("member", memberStatements),
});
const writes = statements.filter((text) => /^(INSERT|UPDATE|DELETE)\b/.test(text));
const conditional = /\bIF\b/;
/** Tables whose cells only conditional writes may change; all other tables are written with an explicit time. */
const decided = ["journal", "objects", "meta", "members"];

test("all CQL: every write is either conditional or carries its own time, and never both", (t) => {
  t.true(writes.length >= 15);
  for (const text of writes) {
    const timed = /USING TIMESTAMP (\?|\d)/.test(text);
    t.not(conditional.test(text), timed, text);
  }
});

test("all CQL: no table has both kinds of writes", (t) => {
  for (const text of [...writes, ...Object.values(guardedStatements)]) {
    const table = /(?:INSERT INTO|UPDATE|DELETE FROM) (\w+)/.exec(text)?.[1];
    const guarded = Object.values<string>(guardedStatements).includes(text);
    t.is(decided.includes(table!), guarded || conditional.test(text), text);
  }
});

test("all CQL: no row expires, and no batch sets the write time", (t) => {
  for (const text of sources().values()) t.notRegex(text, /USING TTL|BEGIN (UNLOGGED )?BATCH/);
});

test("all CQL: data is read and written by statements.ts alone", (t) => {
  const files = sources();
  t.true(files.size > 15);
  for (const [name, text] of files) {
    if (name === "statements.ts") continue;
    const found = text.match(/["'`](INSERT|UPDATE|DELETE|SELECT|TRUNCATE)\b[^"'`]*/g) ?? [];
    t.deepEqual(
      found.filter((cql) => !cql.includes("system_views.settings")),
      [],
      name,
    );
  }
});

test("all CQL: an unconditional journal write is only sent in a batch with its condition", (t) => {
  for (const [name, text] of sources()) {
    const uses = text.match(/guardedStatements\.\w+/g) ?? [];
    if (uses.length > 0 && name !== "statements.ts")
      t.true(["commit.ts", "trim.ts", "members.ts", "arrange.ts"].includes(name), name);
  }
  t.regex(
    sources().get("commit.ts")!,
    /return \[\{ query: guardedStatements\.insert, params: row \}, advance\]/,
  );
  t.regex(
    sources().get("trim.ts")!,
    /session\.conditional\(\[\s*\{ query: guardedStatements\.cut[^}]*\},\s*\{ query: journalStatements\.trimmed/,
  );
  t.regex(
    sources().get("arrange.ts")!,
    /session\.conditional\(\[\s*\{ query: guardedStatements\.arrange[^}]*\},\s*\{ query: journalStatements\.bump/,
  );
});

function sources(): Map<string, string> {
  const names = readdirSync(folder).filter(
    (name) => name.endsWith(".ts") && !/\.(test|cases)\.ts$/.test(name),
  );
  return new Map(names.map((name) => [name, readFileSync(new URL(name, folder), "utf8")]));
}

function prefixed(prefix: string, group: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(group).map(([name, text]) => [`${prefix}.${name}`, text]));
}
