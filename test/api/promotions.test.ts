import { tmpdir } from "node:os";
import { runCommand } from "../support/cli.ts";
import { dataOf, type Ran, runExamples } from "../support/doc-examples.ts";
import { needing } from "../support/needing.ts";
import { type Message, test } from "./support.ts";

needing(test, "curl")(
  "the calls in docs/promotions.md work as written, and the command line shows their results",
  async (t) => {
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
    const id = last.id as string;
    const promotions = (...args: string[]) =>
      runCommand(["promotions", ...args, "--url", `http://${address}`]);
    const listed = await promotions("list");
    t.is(listed.code, 0, listed.said);
    t.true(listed.out.includes(id) && listed.out.includes("rolled_back"), listed.out);
    const shown = await promotions("show", id, "-o", "json");
    t.is(shown.code, 0, shown.said);
    t.is((JSON.parse(shown.out) as Message).state, "rolled_back");
    const refused = await fetch(`http://${address}/api/promotions/candidates/${id}/promote`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{}",
    });
    t.is(refused.status, 409);
    const { metrics } = t.context.service.ports;
    const page = await (await fetch(`http://127.0.0.1:${metrics}/metrics`)).text();
    const counted = page.split("\n").filter((line) => line.startsWith("service_promotions_total{"));
    for (const result of ["ok", "STATE_CONFLICT"])
      t.true(
        counted.some((line) => line.includes('operation="Promote"') && line.includes(`result="${result}"`)),
        counted.join("\n"),
      );
    t.false(counted.some((line) => line.includes("tenant")));
    t.regex(page, /^service_canaries_active/m);
  },
);
