import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCli } from "../../cli/run.ts";
import { api, test } from "../api/support.ts";
import { runService } from "../process/support.ts";
import { runCommand } from "../support/cli.ts";
import { eventually } from "../support/eventually.ts";

const at = ({ service }: { service: { ports: { http: number } } }) => ({
  SWITCHYARD_URL: `http://127.0.0.1:${service.ports.http}`,
});

test("given two pools of one name, when one is asked for by it, then both ids are told; a slip names the nearest", async (t) => {
  const run = (...words: string[]) => runCommand(words, at(t.context));
  const make = async (name: string) =>
    (JSON.parse((await run("pools", "create", name, "-o", "json")).out) as { id: string }).id;
  const [first, second, other] = [await make("twice"), await make("twice"), await make("support")];
  const both = await run("pools", "get", "twice");
  t.is(both.code, 2);
  t.true(both.err.includes(first) && both.err.includes(second), both.err);
  t.like(JSON.parse((await run("pools", "get", "support", "-o", "json")).out), { id: other });
  const slip = await run("pools", "get", "suport");
  t.is(slip.code, 3);
  t.regex(slip.err, /none of the pools has the name suport; did you mean support\?/);
  t.is((await run("recipients", "create", "support", "ada", "-o", "name")).code, 0);
  t.regex((await run("recipients", "get", "support/ada")).out, /^id +\w{26}\n/);
  t.regex((await run("recipients", "get", "ada")).err, /give the id, or pool\/name/);
});

test("given flags, when they are typed, then fields have them; given a slip, then the nearest flag or value is named", async (t) => {
  const run = (...words: string[]) => runCommand([...words], at(t.context), '{"from": "input"}');
  const sent = async (...words: string[]) => {
    const { out, err } = await run(...words, "--dry-run");
    t.is(err, "");
    return JSON.parse(out.slice(out.indexOf("\n"))) as Record<string, unknown>;
  };
  const id = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
  t.deepEqual(
    await sent("pools", "create", "p", "--config.backoff.max-ms", "9", "--config.lease-seconds=60"),
    {
      name: "p",
      config: { backoff: { max_ms: 9 }, lease_seconds: 60 },
    },
  );
  const item = ["--attributes", "n=1", "--attributes", "t=x", "--key", "@@a", "--payload", "-"];
  t.deepEqual(await sent("items", "enqueue", id, ...item), {
    attributes: { n: 1, t: "x" },
    key: "@a",
    payload: { from: "input" },
  });
  t.deepEqual(await sent("pools", "set-enabled", id, "--no-enabled"), { enabled: false });
  t.deepEqual(await sent("pools", "set-enabled", id, "--enabled=false"), { enabled: false });
  t.deepEqual(await sent("pools", "create", "b", "-f", "-"), { from: "input", name: "b" });
  // A field by position has its flag, which is never taken for the address of the service.
  const hook = { name: "hook", url: "https://hooks.example/in" };
  t.deepEqual(await sent("webhooks", "create", "hook", "--url", hook.url), hook);
  const twice = await run("webhooks", "create", "hook", "--name", "other");
  t.is(twice.code, 2);
  t.regex(twice.err, /name is given twice/);
  const { not_before } = await sent("items", "enqueue", id, "--not-before", "+5m");
  const ahead = Date.parse(String(not_before)) - Date.now();
  t.true(ahead > 200_000 && ahead <= 300_000, String(not_before));
  for (const [words, said] of [
    [["pools", "create", "--stratgy", "x"], /unknown option '--stratgy'; did you mean --strategy\?/],
    [
      ["pools", "create", "p", "--strategy", "priorty"],
      /--strategy priorty is not known; did you mean priority\?/,
    ],
    [["items", "enqueue", id, "--payload", "{"], /--payload is not JSON/],
    [["items", "enqueue", id, "--priority", "x"], /--priority x is not a number/],
    [["items", "enqueue", id, "--not-before", "soon"], /--not-before soon is not a time/],
    [["items", "enqueue", id, "--attributes", "x"], /--attributes x is not name=value/],
    [["pools", "list", "-o", "xml"], /--output xml is not one of table, json/],
    [["pools", "get"], /missing required argument 'pool'/],
  ] as const) {
    const { code, err } = await run(...words);
    t.is(code, 2, err);
    t.regex(err, said);
  }
});

test("given refusals, when a command ends, then its exit code says which kind it was", async (t) => {
  const run = (...words: string[]) => runCommand(words, at(t.context));
  t.is((await run("pools", "list")).code, 0);
  t.is((await run("pools", "create", "x".repeat(201))).code, 1);
  t.is((await run("pools", "get", "01ARZ3NDEKTSV4RRFFQ69G5FAV")).code, 3);
  t.is((await run("--url", "http://127.0.0.1:1", "pools", "list")).code, 5);
  const name = "esc \u001b[31mred";
  await api(t.context)("POST", "/api/pools", { name });
  const { out } = await run("pools", "list", "--limit", "1000");
  t.true(out.includes("esc  [31mred") && !out.includes("\u001b"), out);
});

test("given contexts, when commands run, then flags go before variables, and variables before the context in use", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "contexts-"));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const own = { XDG_CONFIG_HOME: folder };
  const run = (words: readonly string[], more = {}) => runCommand(words, { ...own, ...more }, "the-key\n");
  const file = join(folder, "switchyard", "contexts.yaml");
  const { SWITCHYARD_URL: url } = at(t.context);
  t.is((await run(["contexts", "add", "local", "--url", url])).code, 0);
  t.is(
    (await run(["contexts", "add", "gone", "--url", "http://127.0.0.1:1", "--api-key-file", "-"])).code,
    0,
  );
  t.is(statSync(file).mode & 0o777, 0o600);
  t.regex(readFileSync(file, "utf8"), /current: local[\s\S]*gone:[\s\S]*api_key: the-key/);
  t.is((await run(["pools", "list"])).code, 0);
  t.is((await run(["pools", "list", "--context", "gone"])).code, 5);
  t.is((await run(["pools", "list"], { SWITCHYARD_CONTEXT: "gone" })).code, 5);
  t.is((await run(["pools", "list"], { SWITCHYARD_URL: "http://127.0.0.1:1" })).code, 5);
  t.is((await run(["pools", "list", "--url", url], { SWITCHYARD_URL: "http://127.0.0.1:1" })).code, 0);
  const other = await run(["pools", "list", "--context", "gone", "--url", url, "--curl"]);
  t.notRegex(other.out, /x-api-key/, "the key of a context is for its own service");
  t.regex((await run(["contexts", "use", "locl"])).err, /there is no context locl; did you mean local\?/);
  t.is((await run(["contexts", "use", "gone"])).code, 0);
  const listed = (await run(["contexts", "list"])).out;
  t.regex(listed, /gone \(in use\) +http:\/\/127\.0\.0\.1:1 .*in this file/);
  t.notRegex(listed, /the-key/);
  t.is((await run(["contexts", "remove", "gone"])).code, 0);
  t.is((await run(["contexts", "remove", "gone"])).code, 3);
  writeFileSync(
    file,
    `contexts: {local: {url: "${url}", api_key_command: 'echo "$((40 + 2))"'}}\ncurrent: local\n`,
  );
  t.regex((await run(["pools", "list", "--curl"])).out, /"x-api-key: \$SWITCHYARD_API_KEY"/);
  const authority = join(folder, "ca.pem");
  writeFileSync(authority, "PEM");
  t.is((await run(["contexts", "add", "local", "--ca-file", authority])).code, 0);
  const item = ["items", "enqueue", "01ARZ3NDEKTSV4RRFFQ69G5FAV", "--key", "customer"];
  const line = (await run([...item, "--curl"])).out;
  t.true(line.includes(`--cacert ${authority}`), line);
  t.notRegex(line, /--key/, "a field is no certificate");
});

test("given a batch and a worker by the shell, when items end, then exit codes of the command are their outcomes", async (t) => {
  const run = (words: readonly string[], input = "") => runCommand(words, at(t.context), input);
  const pool = (
    await run(["pools", "create", "shell-work", "--config.max-attempts", "1", "-o", "name"])
  ).out.trim();
  const lines = [0, 65, 3].map((code) => `${JSON.stringify({ key: String(code), payload: { code } })}\n`);
  const batch = await run(["items", "enqueue", pool, "--batch", "-"], lines.join(""));
  t.is(batch.out, "3 enqueued, 0 refused\n", batch.err);
  const script = 'cat; echo "it was $SWITCHYARD_ITEM_KEY" >&2; exit "$SWITCHYARD_ITEM_KEY"';
  const worked = await runService(["work", pool, "--items", "3", "--", "sh", "-c", script], at(t.context));
  t.is(worked.code, 0, worked.stderr);
  const items = JSON.parse((await run(["items", "list", pool, "-o", "json"])).out) as Record<
    string,
    unknown
  >[];
  const states = Object.fromEntries(items.map(({ key, state }) => [key, state]));
  t.deepEqual(states, { 0: "completed", 65: "dead", 3: "dead" });
  t.like(
    items.find(({ key }) => key === "0"),
    { result: { code: 0 } },
  );
  t.regex((await run(["top"])).out, /NAME +DEPTH[\s\S]*shell-work/);
});

test("given a command that releases its item, then the item waits as it came; given a lease that is lost, then SIGTERM ends all of the command", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "work-"));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const run = (...words: string[]) => runCommand([...words, "-o", "json"], at(t.context));
  const made = async (...words: string[]) =>
    (await runCommand([...words, "-o", "name"], at(t.context))).out.trim();
  const itemOf = async (id: string) =>
    JSON.parse((await run("items", "get", pool, id)).out) as Record<string, unknown>;
  const pool = await made("pools", "create", "shell-leases");
  const released = await made("items", "enqueue", pool, "--key", "released");
  const busy = ["work", pool, "--items", "1", "--", "sh", "-c", "echo busy >&2; exit 75"];
  const gave = await runService(busy, at(t.context));
  t.is(gave.code, 0, gave.stderr);
  const item = await itemOf(released);
  t.like(item, { state: "ready", attempts: 0, deliveries: 1 });
  t.like((item.history as object[])[0], { outcome: "released" });
  t.is((await run("items", "cancel", pool, released)).code, 0);

  const lost = await made("items", "enqueue", pool, "--key", "lost");
  const next = await made("items", "enqueue", pool, "--key", "next");
  const [started, told, also] = ["started", "told", "also"].map((name) => join(folder, name));
  const goOn = `while [ -d ${folder} ]; do sleep 0.05; done`;
  // One of those that the command has started is deaf, and has its output: the worker does not wait for that one. The
  // other one waits for a child in the background: dash may lose a signal while it starts one in the foreground.
  const script = `[ "$SWITCHYARD_ITEM_KEY" = lost ] || exit 0
    trap 'echo told > ${told}; exit 0' TERM
    sh -c 'trap "" TERM; ${goOn}' &
    sh -c 'trap "echo told > ${also}; exit" TERM; echo started > ${started}; sleep 300 & wait' & wait`;
  const worker = runService(["work", pool, "--items", "2", "--", "sh", "-c", script], at(t.context));
  await eventually("the command runs", () => readIn(started!));
  t.is((await run("items", "cancel", pool, lost)).code, 0);
  t.is((await worker).code, 0);
  t.is(readIn(told!), "told");
  t.is(await eventually("so is what it has started", () => readIn(also!)), "told");
  t.like(await itemOf(lost), { state: "cancelled", deliveries: 1 });
  t.like(await itemOf(next), { state: "completed" });
});

/** What a file has once its line is whole. */
function readIn(file: string): string | undefined {
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  return text.endsWith("\n") ? text.trim() : undefined;
}

test("given a job, when it is followed, then its changes are told until it has ended; exit code 1 where it was cancelled", async (t) => {
  const run = (words: readonly string[], input = "") => runCommand(words, at(t.context), input);
  const pool = (
    await run(["pools", "create", "shell-jobs", "--config.max-attempts", "1", "-o", "name"])
  ).out.trim();
  const lines = [1, 2, 3].map((key) => `${JSON.stringify({ key: String(key) })}\n`);
  t.is((await run(["items", "enqueue", pool, "--batch", "-"], lines.join(""))).code, 0);
  t.is((await run(["work", pool, "--items", "3", "--", "sh", "-c", "exit 65"])).code, 0);
  const start = async () => {
    const { out } = await run(["dead-letters", "retry-all", pool, "--rate", "1", "-o", "json"]);
    return (JSON.parse(out) as { operation_id: string }).operation_id;
  };
  const followed = await run(["jobs", "follow", "shell-jobs", await start()]);
  t.is(followed.code, 0, followed.err);
  const told = followed.out.trimEnd().split("\n");
  t.regex(told[0]!, /^retry_all running: \d of 3 looked at/);
  t.is(told.at(-1), "retry_all completed: 3 of 3 looked at, 3 changed, 0 skipped");
  t.is(new Set(told).size, told.length);
  t.is((await run(["work", pool, "--items", "3", "--", "sh", "-c", "exit 65"])).code, 0);
  const second = await start();
  const following = run(["jobs", "follow", pool, second]);
  t.is((await run(["jobs", "cancel", pool, second])).code, 0);
  const cancelled = await following;
  t.is(cancelled.code, 1);
  t.regex(cancelled.out, /^retry_all cancelled: [0-2] of 3 looked at.*\n$/m);
  t.is((await run(["jobs", "follow", pool, "01ARZ3NDEKTSV4RRFFQ69G5FAV"])).code, 3);
});

test("given open, then the address of the reference is told, and to a person it is opened, or they are told that nothing can", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "open-"));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const { SWITCHYARD_URL: url } = at(t.context);
  const page = `${url}/docs`;
  t.deepEqual(await runCommand(["open"], at(t.context)), {
    ...{ code: 0, out: `${page}\n`, err: "", said: `${page}\n` },
  });
  const { status, headers } = await fetch(page);
  t.is(status, 200);
  t.regex(headers.get("content-type")!, /^text\/html/);

  const opened = join(folder, "opened");
  for (const name of ["xdg-open", "open"])
    writeFileSync(join(folder, name), `#!/bin/sh\necho "$1" > ${opened}\n`, { mode: 0o700 });
  const said: string[] = [];
  const toPerson = (PATH: string) =>
    runCli(["open", "--url", url], {
      out: (text) => void said.push(String(text)),
      err: (text) => void said.push(text),
      environment: { XDG_CONFIG_HOME: "/nonexistent", PATH },
      isTerminal: true,
    });
  t.is(await toPerson(folder), 0);
  t.is(await eventually("it is opened", () => readIn(opened)), page);
  t.is(await toPerson("/nonexistent"), 0);
  const hint = await eventually("there is no program", () => said[2]);
  t.regex(hint, /^service: there is no (xdg-)?open: open the address by hand\n$/);
  t.deepEqual(said.slice(0, 2), [`${page}\n`, `${page}\n`]);
});
