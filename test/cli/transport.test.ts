/** Commands call by the transport of the client library: repeats, keys, and what is told where no answer comes. */
import {
  createServer,
  type IncomingHttpHeaders,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import test, { type ExecutionContext } from "ava";
import { runCli } from "../../cli/run.ts";
import { runCommand } from "../support/cli.ts";
import { eventually } from "../support/eventually.ts";

async function start(t: ExecutionContext, listener: RequestListener, port = 0) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  t.teardown(() => stop(server));
  const addr = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { server, addr, SWITCHYARD_URL: `http://${addr}` };
}

function stop(server: Server): void {
  server.closeAllConnections();
  server.close();
}

const problem = (errorCode: string, retryable: boolean) =>
  JSON.stringify({ errorCode, retryable, retry_after_ms: 5, detail: "not now" });

/** Loses the first connection, refuses the second request, and answers the third. */
async function startWeak(t: ExecutionContext) {
  const heard: IncomingHttpHeaders[] = [];
  const started = await start(t, (request, response) => {
    heard.push(request.headers);
    if (heard.length === 1) request.socket.destroy();
    else if (heard.length === 2) response.writeHead(503).end(problem("UNAVAILABLE", true));
    else response.end(JSON.stringify({ data: { id: "made", shards: [] }, next_cursor: null }));
  });
  return { ...started, heard };
}

test("given a lost answer and a refusal that passes, when a command changes something, then it asks again with one key", async (t) => {
  const { heard, SWITCHYARD_URL } = await startWeak(t);
  const made = await runCommand(["pools", "create", "lost", "-o", "name"], { SWITCHYARD_URL });
  t.is(made.code, 0, made.err);
  t.is(heard.length, 3);
  t.regex(String(heard[0]!["idempotency-key"]), /^\d+(-\d+){3}$/);
  t.is(new Set(heard.map(({ "idempotency-key": key }) => key)).size, 1);
});

test("given a key of one's own, as a flag or a header, then all repeats have it", async (t) => {
  for (const words of [
    ["--idempotency-key", "own"],
    ["-H", "idempotency-key: own"],
  ]) {
    const { heard, SWITCHYARD_URL } = await startWeak(t);
    t.is((await runCommand(["pools", "create", "lost", ...words], { SWITCHYARD_URL })).code, 0);
    t.deepEqual(
      heard.map(({ "idempotency-key": key }) => key),
      ["own", "own", "own"],
    );
  }
});

test("given a method that a repeat may harm, when its answer is lost, then it is sent once", async (t) => {
  const { heard, SWITCHYARD_URL } = await startWeak(t);
  const words = ["streams", "upload-object", "run", "stream", "object", "--data", "x"];
  const { code, err } = await runCommand(words, { SWITCHYARD_URL });
  t.is(code, 5, err);
  t.is(heard.length, 1);
});

test("given the internal plane, then its calls are repeated too, with the token", async (t) => {
  const { heard, addr } = await startWeak(t);
  const { code, err } = await runCommand(["shards", "list", "--addr", addr, "--token", "own"]);
  t.is(code, 0, err);
  t.deepEqual(
    heard.map(({ authorization }) => authorization),
    Array(3).fill("Bearer own"),
  );
});

test("given a refusal that would not pass, then it is told at the first time, and not repeated", async (t) => {
  let count = 0;
  const { SWITCHYARD_URL } = await start(t, (_, response) => {
    count++;
    response.writeHead(409).end(problem("STATE_CONFLICT", false));
  });
  const { code, err } = await runCommand(["pools", "create", "x", "-o", "json"], { SWITCHYARD_URL });
  t.is(code, 1);
  t.like(JSON.parse(err), { errorCode: "STATE_CONFLICT", detail: "not now" });
  t.is(count, 1);
});

test("given a server that wants a key, then the command says where one is given", async (t) => {
  const refuse: RequestListener = (_, response) =>
    response.writeHead(401).end(problem("UNAUTHENTICATED", false));
  const { SWITCHYARD_URL, addr } = await start(t, refuse);
  const { code, err } = await runCommand(["pools", "list"], { SWITCHYARD_URL });
  t.is(code, 4);
  t.regex(err, /UNAUTHENTICATED: not now\. --key-file, SWITCHYARD_API_KEY/);
  t.regex(
    (await runCommand(["shards", "list", "--addr", addr, "--token", "x"])).err,
    /--token or SERVICE_TOKEN/,
  );
});

test("given a key that cannot be sent, or a step as a part of the address, then it is told in a sentence", async (t) => {
  const SWITCHYARD_URL = "http://127.0.0.1:1";
  const key = "sk_secret\nx";
  const unsendable = await runCommand(["pools", "list"], { SWITCHYARD_URL, SWITCHYARD_API_KEY: key });
  t.is(unsendable.code, 1);
  t.regex(unsendable.err, /^service: the API key is empty, or has a character that no header may have\n$/);
  const empty = await runCommand(["pools", "list", "--key-file", "/dev/null"], { SWITCHYARD_URL });
  t.regex(empty.err, /^service: the API key is empty/);
  for (const shown of [[], ["--curl"], ["--dry-run"]]) {
    const words = ["api", "PoolService.GetPool", "--pool-id", "..", ...shown];
    const { code, err } = await runCommand(words, { SWITCHYARD_URL });
    t.is(code, 2);
    t.regex(err, /^service: pool_id is missing, "\." or "\.\.", and is part of the address\n$/);
  }
});

test("given something else that answers, then it is told in a sentence and exit code 5", async (t) => {
  const { SWITCHYARD_URL } = await start(t, (_, response) => response.end("<html>"));
  const told = await runCommand(["pools", "list"], { SWITCHYARD_URL });
  t.is(told.code, 5);
  t.regex(told.err, /no answer from 127\.0\.0\.1:\d+: this is not a node of this service\n$/);
  const other = await start(t, (_, response) => response.writeHead(404).end("<html>"));
  const missing = { SWITCHYARD_URL: other.SWITCHYARD_URL };
  t.regex((await runCommand(["pools", "list"], missing)).err, /not a node of this service \(status 404\)/);
  const moved = await start(t, (_, response) =>
    response.writeHead(308, { location: "https://there.example/in" }).end("<html>"),
  );
  const { err } = await runCommand(["pools", "list"], { SWITCHYARD_URL: moved.SWITCHYARD_URL });
  t.regex(err, /the server redirects to https:\/\/there\.example, .*: give the client the address itself/);
  const away = await runCommand(["pools", "list"], { SWITCHYARD_URL: "http://127.0.0.1:1" });
  t.is(away.code, 5);
  t.regex(away.err, /127\.0\.0\.1:1: nothing listens there\. `service dev` starts a service/);
  const secure = { SWITCHYARD_URL: SWITCHYARD_URL.replace("http", "https") };
  t.regex((await runCommand(["pools", "list"], secure)).err, /it speaks no TLS/);
  const noAddress = await runCommand(["pools", "list", "--url", "localhost:8080"]);
  t.is(noAddress.code, 2);
});

/** Runs a command that does not end by itself until `isEnough`. */
function follow(words: readonly string[], environment: Record<string, string>) {
  const heard = { out: "", err: "" };
  let isEnough = false;
  const hear = (stream: "out" | "err") => (text: string | Uint8Array) => {
    if (isEnough) throw new Error("enough");
    heard[stream] += String(text);
  };
  const terminal = { out: hear("out"), err: hear("err"), isTerminal: true };
  const ended = runCli(words, {
    ...terminal,
    environment: { XDG_CONFIG_HOME: "/nonexistent", ...environment },
  });
  ended.catch(() => {});
  return {
    heard,
    end: () => {
      isEnough = true;
    },
  };
}

test("given an empty list, when a person looks at it, then it says how to fill it, and to a program it does not", async (t) => {
  const { SWITCHYARD_URL } = await start(t, (_, response) =>
    response.end('{"data": [], "next_cursor": null}'),
  );
  const { heard } = follow(["pools", "list"], { SWITCHYARD_URL });
  await eventually(
    "the hint",
    () => heard.err === "service: there are none; service pools create makes one\n" || undefined,
  );
  t.regex(heard.out, /^ID/);
  t.is((await runCommand(["pools", "list"], { SWITCHYARD_URL })).err, "");
});

test("given --watch, when the server is away for a time, then it says so and goes on", async (t) => {
  const answer: RequestListener = (_, response) => response.end('{"data": [{"id": "1", "name": "before"}]}');
  const first = await start(t, answer);
  const { heard, end } = follow(["pools", "list", "-w"], { SWITCHYARD_URL: first.SWITCHYARD_URL });
  await eventually("the list", () => heard.out.includes("before") || undefined);
  stop(first.server);
  await eventually(
    "the loss is told",
    () => /nothing listens there.*trying again/.test(heard.err) || undefined,
  );
  const port = Number(first.addr.split(":")[1]);
  await start(t, (_, response) => response.end('{"data": [{"id": "1", "name": "after"}]}'), port);
  await eventually("the new list", () => heard.out.includes("after") || undefined);
  end();
  t.regex(heard.out, /before[\s\S]*after/);
});

test("given a stream of events, when nothing listens for a second, then the stream goes on with the next server", async (t) => {
  const say = (depth: number) => (_: unknown, response: ServerResponse) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(`event: pools\ndata: {"pools": [{"depth": ${depth}}]}\n\n`);
  };
  const first = await start(t, say(1));
  const words = ["pools", "watch", "--pool-ids", "01J9ZC5T8N4W0QK7V3M2B6XH1D"];
  const { heard, end } = follow(words, { SWITCHYARD_URL: first.SWITCHYARD_URL });
  await eventually("the first event", () => heard.out.includes('"depth":1') || undefined);
  stop(first.server);
  const refusals = () => heard.err.match(/nothing listens there.*; trying again/g)?.length ?? 0;
  // More of them than fit into the time in which a first connection is tried again.
  await eventually("the losses are told", () => refusals() >= 5 || undefined);
  await start(t, say(2), Number(first.addr.split(":")[1]));
  await eventually("the next event", () => heard.out.includes('"depth":2') || undefined);
  end();
  t.pass();
});

test("given top and the status of a queue with --watch, then they follow WatchPools, also behind a lost connection", async (t) => {
  const asked: string[] = [];
  const figures = { name: "support", depth: 1, paused: false };
  const id = "01J9ZC5T8N4W0QK7V3M2B6XH1D";
  const { SWITCHYARD_URL } = await start(t, (request, response) => {
    asked.push(request.url!.split("?")[0]!);
    const streams = asked.filter((path) => path === "/api/live/pools").length;
    const queue = { ...figures, pool_id: id, depth: 10 * streams };
    if (!request.url!.startsWith("/api/live")) {
      const data = request.url!.endsWith("/status") ? queue : [{ ...figures, pool_id: id }];
      response.end(JSON.stringify({ data, next_cursor: null }));
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    const pools = { pools: [{ pool_id: id, queue, rates: { enqueued: 2.5 }, recipients: [] }] };
    response.write(`event: pools\ndata: ${JSON.stringify(pools)}\n\n`);
    if (streams % 2 === 1) setTimeout(() => request.socket.destroy(), 50);
  });
  const top = follow(["top"], { SWITCHYARD_URL });
  await eventually("the second stream", () => / 20 .* 2\.5 /.test(top.heard.out) || undefined);
  t.regex(top.heard.out, /1 queue, 10 items waiting/);
  t.regex(top.heard.out, /trying again/);
  t.deepEqual(asked, ["/api/queues", "/api/live/pools", "/api/live/pools"]);
  top.end();
  const status = follow(["queues", "status", id, "--watch"], { SWITCHYARD_URL });
  await eventually("the third stream", () => /depth +30/.test(status.heard.out) || undefined);
  status.end();
});
