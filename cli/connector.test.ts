import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import test from "ava";
import { runCommand } from "../test/support/cli.ts";

test("given a node that refuses a page as busy, when credentials are rotated, then the page is asked for again", async (t) => {
  const asked: string[] = [];
  const answers = [
    {
      status: 200,
      body: { data: { rotated: 2, unchanged: 1, unreadable: 0, next_page_token: "connections." } },
    },
    { status: 504, body: { errorCode: "TIMEOUT", detail: "the deadline passed" } },
    { status: 503, body: { errorCode: "UNAVAILABLE", detail: "the shard is on the move" } },
    { status: 200, body: { data: { rotated: 3, unchanged: 0, unreadable: 0, next_page_token: "" } } },
    { status: 403, body: { errorCode: "PERMISSION_DENIED", detail: "no" } },
  ];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const part of request) body += part;
    asked.push((JSON.parse(body) as { page_token: string }).page_token);
    const { status, body: answer } = answers.shift()!;
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => server.close());
  const addr = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const rotate = () => runCommand(["connector", "rotate", "--addr", addr, "--token", "t"]);
  t.like(await rotate(), { code: 0, out: "5 sealed anew, 1 unchanged, 0 cannot be opened\n" });
  t.deepEqual(asked, ["", "connections.", "connections.", "connections."]);
  t.regex((await rotate()).err, /PERMISSION_DENIED/);
});
