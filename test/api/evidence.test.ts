import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCommand } from "../support/cli.ts";
import { dataOf, type Ran, runExamples } from "../support/doc-examples.ts";
import { needing } from "../support/needing.ts";
import { type Message, test } from "./support.ts";

needing(test, "curl")(
  "the calls in docs/evidence.md work as written; the export is verified offline, and is refused with one byte flipped",
  async (t) => {
    const folder = mkdtempSync(join(tmpdir(), "evidence-"));
    t.teardown(() => rmSync(folder, { recursive: true, force: true }));
    const port = t.context.service.ports.http;
    const variables = ([first]: readonly Ran[]) => ({ PACK: first ? String(dataOf(first).id) : "" });
    const ran = await runExamples("evidence.md", { port, folder, variables });
    t.is(ran.length, 8);
    for (const { line, code } of ran) t.is(code, 0, line);
    for (const one of ran.slice(0, 5)) t.truthy(dataOf(one), `${one.line}: ${one.said}`);
    t.true(dataOf(ran[3]!).satisfied, ran[3]!.said);
    t.like((dataOf(ran[4]!).requirements as Message[])[0], {
      gate: { id: "scenarios", status: "satisfied" },
    });
    t.regex(ran[7]!.said, /^valid: pack .* of staging, .* 1 receipts \(1 passed\)/);

    const keys = ["--keys", join(folder, "keys.json")];
    const file = join(folder, "export.json");
    const exported = JSON.parse(readFileSync(file, "utf8")) as { data: { envelope: { payload: string } } };
    const payload = Buffer.from(exported.data.envelope.payload, "base64");
    payload[payload.length >> 1]! ^= 1;
    exported.data.envelope.payload = payload.toString("base64");
    writeFileSync(file, JSON.stringify(exported));
    const verify = (...args: string[]) => runCommand(["evidence", "verify", ...args]);
    const flipped = await verify(file, ...keys);
    t.is(flipped.code, 1);
    t.regex(flipped.said, /none of the keys signed this payload/);
    t.is((await verify(file)).code, 2, "without keys");
    t.is((await verify(join(folder, "none.json"), ...keys)).code, 1);
  },
);

needing(test, "curl")(
  "the calls in docs/conformance.md work as written, and the exit code of the command tells the result of a run",
  async (t) => {
    const folder = tmpdir();
    const port = t.context.service.ports.http;
    const ran = await runExamples("conformance.md", { port, folder, variables: () => ({}) });
    t.is(ran.length, 5);
    for (const { line, code, said } of ran) t.is(code, 0, `${line}: ${said}`);
    t.is(dataOf(ran[2]!).verdict, "conformant", ran[2]!.said);
    t.deepEqual(dataOf(ran[3]!).failed, []);
    t.regex(ran[4]!.said, /admission +conformant/);
    const url = ["--url", `http://127.0.0.1:${port}`];
    const run = (...args: string[]) => runCommand(["conformance", "run", ...args, ...url]);
    const dry = await run("--suite", "runtime", "--mode", "dry_run");
    t.is(dry.code, 1, "a dry run is partial");
    t.regex(dry.said, /runtime +partial/);
    const live = await run("--suite", "runtime", "--environment", "production");
    t.is(live.code, 1);
    t.regex(live.said, /production is live/);
    t.is((await run("--suite", "none")).code, 3);
  },
);
