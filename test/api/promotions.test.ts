import { tmpdir } from "node:os";
import { runCli } from "../../cli/run.ts";
import { dataOf, type Ran, runExamples } from "../support/doc-examples.ts";
import { type Message, test } from "./support.ts";

test("the calls of docs/promotions.md work as they stand, and the command line shows what came of them", async (t) => {
  const port = t.context.service.ports.http;
  const ids = (ran: readonly Ran[]) => ran.map((one) => dataOf(one)?.id).filter((id) => id !== undefined);
  const ran = await runExamples("promotions.md", {
    port,
    folder: tmpdir(),
    variables: (so) => ({ POOL: String(ids(so)[0] ?? ""), ID: String(ids(so).at(-1) ?? "") }),
  });
  t.is(ran.length, 10);
  for (const one of ran) t.truthy(dataOf(one), `${one.line}: ${one.said}`);
  const last: Message = dataOf(ran.at(-1)!);
  const address = `127.0.0.1:${port}`;
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
