import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import test from "ava";
import { Server } from "../crash/server.ts";
import { needing } from "../support/needing.ts";

const text = readFileSync(new URL("../../docs/streams.md", import.meta.url), "utf8");
const run = promisify(execFile);

/** The commands of the first block, one by one. */
const commands = /```\n(curl [\s\S]*?)```/
  .exec(text)![1]!
  .replaceAll("\\\n", " ")
  .split("\n")
  .filter((line) => line.startsWith("curl "));

needing(test, "curl")(
  "the curl commands in docs/streams.md create a stream, append to it and follow it, as written",
  async (t) => {
    t.is(commands.length, 3);
    const server = new Server();
    t.teardown(() => server.remove());
    await server.start();
    const names: Record<string, string> = { RUN: "01BX5ZZKBKACTAV9WEVGEMMVRZ" };
    const curl = async (command: string) => {
      const here = command.replace("localhost:8080", server.url.replace("http://", ""));
      return (await run("bash", ["--norc", "-c", here], { env: { ...process.env, ...names } })).stdout;
    };
    const [create, append, follow] = commands as [string, string, string];
    names.STREAM = (JSON.parse(await curl(create)) as { data: { id: string } }).data.id;
    t.like(JSON.parse(await curl(append)), { data: { first_sequence: 1, last_sequence: 1 } });
    await fetch(`${server.url}/api/workflow-streams/runs/${names.RUN}/streams/${names.STREAM}/close`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{}",
    });
    const events = await curl(follow);
    t.regex(events, /event: record\nid: 1\ndata: \{.*"payload":\{"step":1\}/);
    t.regex(events, /event: end\n/);
  },
);
