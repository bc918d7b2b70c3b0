import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import test from "ava";
import { freePort } from "../../test/support/free-port.ts";
import { sourceArguments } from "../../test/support/typescript/arguments.ts";
import { AnswerHeaders } from "../calls/answer-headers.ts";
import type { Call } from "../calls/call.ts";
import { callerOf } from "../calls/caller.ts";
import { createCallTelemetry, createLog, exposition, Metrics, startTracing } from "./index.ts";
import { parseTraceparent, printTraceparent } from "./trace-context.ts";

const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

test("counters and histograms of all threads are summed", async (t) => {
  const threads = [new Metrics(), new Metrics()];
  for (const [i, metrics] of threads.entries()) {
    metrics.add("calls_total", { method: 'a"b' }, i + 1);
    metrics.observe("service_request_duration_seconds", i === 0 ? 0.4 : 700, { method: "m" });
    metrics.gauge("depth", {}, () => 5);
    metrics.gauge("age", {}, () => 5 + i, "max");
    for (const kind of ["a", "b"]) metrics.counter("done_total", { kind }, () => 7);
    metrics.histogram("waits", [10, 100], () => ({ counts: [1, 0, 2], sumMs: 500 }));
  }
  const text = await exposition(await Promise.all(threads.map((metrics) => metrics.snapshot())));
  t.true(text.includes('calls_total{method="a\\"b"} 3\n'));
  t.true(text.includes("depth 10\n"));
  t.true(text.includes("\nage 6\n"));
  t.true(text.includes('# TYPE done_total counter\ndone_total{kind="a"} 14\ndone_total{kind="b"} 14\n'));
  t.true(text.includes('waits_bucket{le="0.1"} 2\nwaits_bucket{le="+Inf"} 6\nwaits_sum 1\nwaits_count 6\n'));
  t.true(text.includes('service_request_duration_seconds_bucket{le="0.0005",method="m"} 1\n'));
  t.true(text.includes('service_request_duration_seconds_bucket{le="1",method="m"} 2\n'));
  t.true(text.includes('service_request_duration_seconds_bucket{le="+Inf",method="m"} 2\n'));
  t.true(text.includes('service_request_duration_seconds_count{method="m"} 2\n'));
  t.is(text.match(/# TYPE service_request_duration_seconds histogram/g)?.length, 1);
});

test("calls are counted by method, protocol and code, and carry no tenant", async (t) => {
  const metrics = new Metrics();
  const telemetry = createCallTelemetry(metrics, createLog("silent"));
  for (const code of ["OK", "OK", "NOT_FOUND"] as const) {
    const call = callWith({});
    telemetry.callStarted(call);
    telemetry.callEnded(call, { code, durationMs: 3 });
  }
  const text = await exposition([await metrics.snapshot()]);
  t.regex(text, /_count\{method="Some.Method",protocol="rest",plane="external",code="OK"\} 2/);
  t.regex(text, /_count\{method="Some.Method",protocol="rest",plane="external",code="NOT_FOUND"\} 1/);
  t.false(text.includes("tenant"));
});

test("calls of one method are told apart by their plane", async (t) => {
  const metrics = new Metrics();
  const telemetry = createCallTelemetry(metrics, createLog("silent"));
  const outside = callWith({});
  const inside = { ...callWith({}), method: outside.method, plane: "internal" } as Call;
  for (const call of [outside, inside]) telemetry.callEnded(call, { code: "OK", durationMs: 3 });
  const text = await exposition([await metrics.snapshot()]);
  for (const plane of ["external", "internal"])
    t.true(
      text.includes(`_count{method="Some.Method",protocol="rest",plane="${plane}",code="OK"} 1\n`),
      plane,
    );
});

test("streams and long polls that are under way are shown by method and door, and no others", async (t) => {
  const metrics = new Metrics();
  const telemetry = createCallTelemetry(metrics, createLog("silent"));
  const method = { name: "Some.Stream", kind: "bidi_streaming" };
  const started = ["grpc", "grpc", "connect"].map(
    (protocol) => ({ ...callWith({}), method, protocol }) as Call,
  );
  const shown = async () =>
    (await exposition([await metrics.snapshot()])).match(/^service_streams_open\{.*$/gm)?.sort();
  telemetry.callStarted(callWith({}));
  t.is(await shown(), undefined);
  for (const call of started) telemetry.callStarted(call);
  const series = (protocol: string, open: number) =>
    `service_streams_open{method="Some.Stream",protocol="${protocol}",plane="external"} ${open}`;
  t.deepEqual(await shown(), [series("connect", 1), series("grpc", 2)]);
  for (const call of started.slice(1)) telemetry.callEnded(call, { code: "OK", durationMs: 3 });
  t.deepEqual(await shown(), [series("connect", 0), series("grpc", 1)]);
});

test("a traceparent is read, continued and answered; a broken one is as none", (t) => {
  t.is(printTraceparent(parseTraceparent(parent)!), parent);
  const bad = [
    "",
    "00-0-0-01",
    parent.replace("00-", "ff-"),
    parent.replace(/4b.*36/, "0".repeat(32)),
    `${parent}-x`,
  ];
  for (const header of bad) t.is(parseTraceparent(header), undefined, header);
  const telemetry = createCallTelemetry(new Metrics(), createLog("silent"));
  const call = callWith({ traceparent: parent });
  telemetry.callStarted(call);
  const answered = parseTraceparent(call.responseHeaders.get("traceparent"));
  t.is(answered?.traceId, "4bf92f3577b34da6a3ce929d0e0e4736");
  t.not(answered?.parentId, "00f067aa0ba902b7");
  t.is(callerOf(call).trace, call.responseHeaders.get("traceparent"), "entities are told the same");
  const plain = callWith({});
  telemetry.callStarted(plain);
  t.is(plain.responseHeaders.get("traceparent"), undefined);
  plain.responseHeaders.set("traceparent", parent);
  t.is(callerOf(plain).trace, undefined, "headers of the answer are not looked through for it");
});

test("with an endpoint, spans arrive there with the caller as parent", async (t) => {
  const received: string[] = [];
  const collector = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      received.push(Buffer.concat(chunks).toString());
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
  }).listen(0, "127.0.0.1");
  await once(collector, "listening");
  const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}/v1/traces`;
  const tracing = await startTracing({ endpoint, samplePercent: 0 });
  const telemetry = createCallTelemetry(new Metrics(), createLog("silent"), tracing);
  const call = callWith({ traceparent: parent });
  telemetry.callStarted(call);
  telemetry.callEnded(call, { code: "OK", durationMs: 1 });
  const undecided = callWith({});
  telemetry.callStarted(undecided);
  telemetry.callEnded(undecided, { code: "OK", durationMs: 1 });
  await tracing.close();
  collector.close();
  collector.closeAllConnections();
  const spans = received.flatMap((text) => JSON.parse(text).resourceSpans[0].scopeSpans[0].spans);
  t.is(spans.length, 1, "the caller's decision counts; without one the share of zero does");
  t.is(spans[0].name, "Some.Method");
  t.is(spans[0].traceId, "4bf92f3577b34da6a3ce929d0e0e4736");
  t.is(spans[0].parentSpanId, "00f067aa0ba902b7");
});

test("a collector that is away, or never answers, keeps no thread from ending", async (t) => {
  const silent = createServer(() => undefined);
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  t.teardown(() => {
    silent.close();
    silent.closeAllConnections();
  });
  const { port } = silent.address() as AddressInfo;
  const away = await freePort();
  for (const at of [port, away]) {
    const tracing = await startTracing({ endpoint: `http://127.0.0.1:${at}/v1/traces`, samplePercent: 100 });
    tracing.start(callWith({}), undefined).end("OK");
    await t.notThrowsAsync(tracing.close());
  }
});

test("secrets do not reach the log", (t) => {
  const script = `
    import { createLog } from "./gateway/telemetry/log.ts";
    const log = createLog("info");
    log.info({ authorization: "Bearer s3cret", headers: { "x-api-key": "s3cret", cookie: "s3cret" },
      request: { body: { password: "s3cret", lease_token: "s3cret" } }, name: "shown" }, "text");
    log.debug("not written");`;
  const args = [...sourceArguments, "--input-type=module", "-e", script];
  const cwd = new URL("../..", import.meta.url).pathname;
  const text = execFileSync("sh", ["-c", '"$0" "$@" 2>&1', process.execPath, ...args], {
    cwd,
    encoding: "utf8",
  });
  t.false(text.includes("s3cret"), text);
  t.true(text.includes("shown"));
  t.false(text.includes("not written"));
});

function callWith(headers: Record<string, string>): Call {
  return {
    method: { name: "Some.Method", path: "/service.api.Some/Method", kind: "unary" },
    plane: "external",
    protocol: "rest",
    headers: { get: (name: string) => headers[name] },
    startedAtMs: Date.now(),
    responseHeaders: new AnswerHeaders(),
  } as unknown as Call;
}
