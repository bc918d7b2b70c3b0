import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { runCli } from "../../cli/run.ts";
import { type Message, test } from "./support.ts";

test("the calls of docs/promotions.md work as they stand, and the command line shows what came of them", async (t) => {
  const page = readFileSync(new URL("../../docs/promotions.md", import.meta.url), "utf8");
  const lines = /```sh\n([\s\S]*?)```/.exec(page)![1]!.split(/\n(?=curl)/);
  t.is(lines.length, 10);
  const address = `127.0.0.1:${t.context.service.ports.http}`;
  const ids: string[] = [];
  let last: Message = {};
  for (const line of lines) {
    const ours = line.replace("localhost:8080", address).replace("curl", "curl -s");
    const { stdout } = spawnSync("sh", ["-c", ours], {
      env: { ...process.env, POOL: ids[0] ?? "", ID: ids.at(-1) ?? "" },
    });
    const { data } = JSON.parse(stdout.toString()) as { data?: Message };
    t.truthy(data, `${line}: ${stdout}`);
    if (data!.id !== undefined) ids.push(data!.id as string);
    last = data!;
  }
  t.is(last.state, "rolled_back");
  const said: string[] = [];
  const terminal = {
    out: (text: string) => void said.push(text),
    err: (text: string) => void said.push(text),
    environment: {},
  };
  const id = last.id as string;
  t.is(await runCli(["promotions", "list", "--url", `http://${address}`], terminal), 0);
  t.is(await runCli(["promotions", "show", id, "--url", `http://${address}`], terminal), 0);
  t.true(said[0]!.includes(id) && said[0]!.includes("rolled_back"), said[0]);
  t.is((JSON.parse(said[1]!) as Message).state, "rolled_back");
});
