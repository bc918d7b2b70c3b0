import { readFileSync } from "node:fs";
import test from "ava";
import { limits, type RefusalError, refuse } from "#base";
import type { Answer } from "#runtime";
import { loadContract } from "../../../gateway/contract/index.ts";
import { askerOf } from "../../../test/support/asker.ts";
import { testCaller } from "../../../test/support/entity.ts";
import { modules, testAccess } from "../../../test/support/module-parts.ts";
import { orchestrate } from "../../../test/support/orchestrate.ts";
import { type Message, runId, service, startStream, tenant } from "../../../test/support/streams.ts";
import type { CallContext } from "../../module.ts";
import { createStream } from "../waits/handlers/runs.ts";
import { addStream } from "../waits/service.ts";
import { streamAddress } from "./record.ts";
import { methods as streamMethods } from "./service.ts";

test("the definition is immutable: the same create returns the stream, another one is refused", (t) => {
  const { create, id } = startStream({ metadata_home: "eu-1" });
  t.is(create().id, id);
  t.like(create({ metadata_home: "us-1" }), { code: "ALREADY_EXISTS" });
  t.not(create({ name: "other" }).id, id);
});

test("redaction is applied before the record is stored", (t) => {
  const { driver, address, append, read } = startStream({
    redaction: { json_pointers: ["/user/mail", "/list/*/a~1b"] },
  });
  append(1, { payload: { user: { mail: "secret@x", name: "n" }, list: [{ "a/b": "secret" }, 1] } });
  const [record] = read(0).records as Message[];
  t.deepEqual(record!.payload, {
    user: { mail: "[redacted]", name: "n" },
    list: [{ "a/b": "[redacted]" }, 1],
  });
  const stored = JSON.stringify(driver.rows(address, "chunks").scan({ collection: "chunks", limit: 9 }));
  t.false(stored.includes("secret"));
});

test("bytes that say JSON are redacted like a payload; those that are no JSON, or too long then, are refused", (t) => {
  const { driver, address, ask, read } = startStream({ redaction: { json_pointers: ["/a/*", "/b"] } });
  const append = (bytes: string | Buffer, content_type = "application/json") =>
    ask("AppendRecords", { records: [{ bytes: Buffer.from(bytes).toString("base64"), content_type }] });
  // The first of two equal keys would pass by the pointers.
  t.like(append('{"a": {"x": "secret"}, "a": {"y": 1}, "b": "secret", "c": 1}'), { first_sequence: 1 });
  const [record] = read(0).records as { bytes: string }[];
  t.deepEqual(JSON.parse(Buffer.from(record!.bytes, "base64").toString()), {
    a: { y: "[redacted]" },
    b: "[redacted]",
    c: 1,
  });
  for (const bytes of ["{", Buffer.from('{"b": "secret"}', "utf16le"), "[".repeat(60_000), Buffer.of(0xff)])
    t.like(append(bytes), { code: "INVALID_ARGUMENT", reason: "REDACTION" });
  t.like(append(`{"a": [${"1,".repeat(10_000)}1]}`), { code: "PAYLOAD_TOO_LARGE" });
  t.like(ask("AppendRecords", { records: [{ payload: { a: Array(10_000).fill(1) } }] }), {
    code: "PAYLOAD_TOO_LARGE",
  });
  t.like(append("{", "application/octet-stream"), { first_sequence: 2 });
  const stored = JSON.stringify(driver.rows(address, "chunks").scan({ collection: "chunks", limit: 9 }));
  t.false(stored.includes("secret"));
  t.false(stored.includes(Buffer.from("secret").toString("base64").slice(0, 6)));
});

const manyOf = <One>(count: number, one: (index: number) => One) =>
  Array.from({ length: count }, (_, i) => one(i));

/** By what makes them many: the pointers of a stream, and records that are within every bound of their own. */
const costly: Readonly<Record<string, readonly [readonly string[], object]>> = {
  "64 pointers × long lists": [manyOf(64, (index) => `/*/x${index}`), { payload: manyOf(30_000, () => 1) }],
  "pointers that part at every level": [
    manyOf(64, (index) => `/${manyOf(6, (bit) => ((index >> bit) & 1 ? "*" : "0")).join("/")}`),
    { payload: [[[[[manyOf(30_000, () => 1)]]]]] },
  ],
  "one pointer × many records": [["/*/*/mail"], { payload: manyOf(6_000, () => ({ a: 1 })) }],
  bytes: [
    manyOf(64, (index) => `/*/x${index}`),
    {
      content_type: "application/json",
      bytes: Buffer.from(JSON.stringify(manyOf(30_000, () => 1))).toString("base64"),
    },
  ],
};

for (const [name, [json_pointers, record]] of Object.entries(costly))
  test(`${name}: when an append would take too long to redact, then it is refused and nothing is stored`, (t) => {
    const { ask } = startStream({ redaction: { json_pointers: [...json_pointers] } });
    const records = manyOf(60, () => record);
    t.like(ask("AppendRecords", { records }), { code: "PAYLOAD_TOO_LARGE", reason: "REDACTION" });
    t.like(ask("GetStream"), { latest_sequence: 0 });
    t.like(ask("AppendRecords", { records: [{ payload: 1 }] }), { first_sequence: 1 });
  });

test("64 pointers and a thousand ordinary records are redacted within the budget", (t) => {
  const json_pointers = manyOf(64, (index) => `/user/field_${index}`);
  const { ask } = startStream({ redaction: { json_pointers } });
  const payload = { user: { field_7: "secret", other: 1 }, items: manyOf(100, (index) => ({ index })) };
  t.like(ask("AppendRecords", { records: manyOf(1_000, () => ({ payload })) }), { last_sequence: 1_000 });
});

test("the roles of the definition are asked for beside the permission", (t) => {
  const roles = { read_roles: ["viewer"], append_roles: ["writer"], ack_roles: ["reader"] };
  const { ask } = startStream({ authorization: roles });
  const records = [{ payload: 1 }];
  t.like(ask("AppendRecords", { records, roles: ["viewer"] }), { code: "PERMISSION_DENIED" });
  t.like(ask("AppendRecords", { records, roles: ["writer"] }), { first_sequence: 1 });
  t.like(ask("ReadRecords", { roles: ["writer"] }), { code: "PERMISSION_DENIED" });
  t.like(ask("ReadRecords", { roles: ["viewer"] }), { latest_sequence: 1 });
  t.like(ask("Acknowledge", { consumer_id: "c", sequence: 1, roles: ["viewer"] }), {
    code: "PERMISSION_DENIED",
  });
  t.like(ask("Acknowledge", { consumer_id: "c", sequence: 1, roles: ["reader"] }), {
    acknowledged_sequence: 1,
  });
});

test("a stream of another environment or run is not found", (t) => {
  const { driver, address, id } = startStream({}, { environment: "staging" });
  const request = { run_id: runId, stream_id: id };
  const caller = { environment: "production" };
  t.like(driver.ask(address, `${service}.GetStream`, request, { caller }), { code: "NOT_FOUND" });
  t.like(driver.ask(address, `${service}.GetStream`, request, { caller: { environment: "staging" } }), {
    id,
  });
});

test("bounds: consumers, producers and streams of a run", (t) => {
  const { driver, ask, address } = startStream();
  const state = driver.state<{ head: { producers: number }; consumers: Map<string, object> }>(address);
  state.head.producers = limits.streamProducersMax;
  const producer = { id: "p", epoch: 0, sequence: 0 };
  t.like(ask("AppendRecords", { records: [{ payload: 1, producer }] }), { reason: "LIMIT_REACHED" });
  for (let n = 0; n < limits.streamConsumersMax; n++)
    state.consumers.set(`c${n}`, { id: `c${n}`, acked: 0, bytes: 0 });
  t.like(ask("PutConsumer", { consumer_id: "one-more" }), { reason: "LIMIT_REACHED" });
  t.like(ask("Acknowledge", { consumer_id: "one-more", sequence: 0 }), { reason: "LIMIT_REACHED" });
});

test("pages of consumers and streams end with a cursor that opens the next page only", (t) => {
  const { driver, run, create, ask } = startStream();
  for (const consumer_id of ["a", "b", "c"]) ask("PutConsumer", { consumer_id });
  const page = ask("ListConsumers", { page_size: 2 });
  t.is(page.total, 3);
  t.like(ask("ListConsumers", { page_size: 2, page_token: page.next_page_token }), {
    consumers: [{ consumer_id: "c" }],
    next_page_token: "",
  });
  driver.now++;
  create({ name: "t" });
  const list = (request: Message) => driver.ask(run, `${service}.ListStreams`, request) as Message;
  const first = list({ page_size: 1 });
  t.is(first.total, 2);
  t.like(list({ page_size: 1, page_token: first.next_page_token }), {
    streams: [{ name: "t" }],
    next_page_token: "",
  });
  t.like(list({ page_token: page.next_page_token as string }), { code: "INVALID_ARGUMENT" });
});

test("edge case 10: a stream that was purged and made again under its name is another one: old cursors find nothing", (t) => {
  const { driver, run, create, id, append, read } = startStream();
  append(3);
  driver.tell(run, { type: "purge", id: runId, tenant });
  t.like(read(1), { code: "NOT_FOUND" });
  const again = create().id as string;
  t.not(again, id);
  t.like(read(1), { code: "NOT_FOUND" });
  const request = { run_id: runId, stream_id: again };
  t.like(driver.ask(streamAddress(tenant, again), `${service}.ReadRecords`, request), { latest_sequence: 0 });
});

test("edge case 19: the purge of a tenant leaves a stream that is held, and takes it when the hold is over", (t) => {
  const { driver, run, append, read, ask } = startStream();
  append(2);
  ask("SetLegalHold", { held: true, reason: "r" });
  driver.tell(run, { type: "purge", id: runId, tenant });
  t.like(read(0), { latest_sequence: 2 });
  ask("SetLegalHold", { held: false });
  driver.tell(run, { type: "purge", id: runId, tenant });
  t.like(read(0), { code: "NOT_FOUND" });
  t.deepEqual(
    driver.rowsOf(tenant).filter((row) => row.startsWith("stream/")),
    [],
  );
});

test("rule 11: regions are facts of the definition: an owner anywhere else reads the same and can change none", (t) => {
  const regions = {
    metadata_home: "eu-1",
    metadata_replicas: ["eu-2"],
    object_regions: ["eu-1"],
    client_egress_regions: ["eu"],
    log_region: "eu-3",
  };
  const { driver, create, append, ask, sequences } = startStream(regions);
  append(2);
  // Another process, which has its memory from the rows alone.
  driver.restart();
  t.like(ask("GetStream"), regions);
  t.deepEqual(sequences(0), [1, 2]);
  t.like(create({ metadata_home: "us-1" }), { code: "ALREADY_EXISTS" });
  t.like(create({ object_regions: ["us-1"] }), { code: "ALREADY_EXISTS" });
  t.like(ask("GetStream"), regions);
  const changing = Object.keys(streamMethods).filter((method) => /Update|Patch|Move|Relocate/.test(method));
  t.deepEqual(changing, []);
});

test("rule 12: no tool of assistants is about streams, and no module has a door for tools of its own", (t) => {
  const { methods } = loadContract();
  const tools = methods.filter(({ tool }) => tool !== undefined);
  t.true(tools.length > 0);
  t.deepEqual(
    tools.filter(({ name, governance }) => /stream|record/i.test(name + governance.resource)),
    [],
  );
  const written = readFileSync(new URL("../../../protos/gen/mcp-tools.json", import.meta.url), "utf8");
  const listed = (JSON.parse(written) as { method: string }[]).map(({ method }) => method);
  t.deepEqual(listed.sort(), tools.map(({ name }) => name).sort());
  const routes = modules.flatMap((module) => module.routes ?? []);
  t.deepEqual(
    routes.filter(({ path }) => /mcp/i.test(path)),
    [],
  );
});

test("a stream is in the environment of its run, and one of a run that its caller may not see is not made", async (t) => {
  const { driver } = startStream();
  const run2 = "01ARZ3NDEKTSV4RRFFQ69G5FB0";
  const asker = askerOf(({ to, method, request, caller }): Answer => {
    if (method === "WorkflowRunService.GetRun")
      return { response: { environment: "staging" }, replayed: false };
    const answer = driver.ask(to, method, request as Message, { caller }) as Message;
    return "code" in answer ? (answer as never) : { response: answer, replayed: false };
  });
  const create = (more: object) =>
    orchestrate(createStream(testAccess), { run_id: run2, name: "s", content_classes: ["json"] }, {
      caller: { ...testCaller(tenant), ...more },
      asker,
      deadlineMs: Date.now() + 1_000,
    } as CallContext);
  t.like(await create({}), { environment: "staging", run_id: run2 });
  const elsewhere = await t.throwsAsync(() => create({ environment: "production" }));
  t.is((elsewhere as RefusalError).refusal.code, "NOT_FOUND");
  const forbidden = await t.throwsAsync(() => create({ environmentMode: "production_only" }));
  t.is((forbidden as RefusalError).refusal.code, "PERMISSION_DENIED");
});

test("a role that the service does not have is refused in each list of a definition, and no stream is made", async (t) => {
  const asker = askerOf(({ method }) => t.fail(`asked for ${method}`) as never);
  const call = { caller: testCaller(tenant), asker, deadlineMs: Date.now() + 1_000 } as CallContext;
  for (const list of ["read_roles", "append_roles", "ack_roles"]) {
    const request = { run_id: runId, name: "s", authorization: { [list]: ["admin", "root"] } };
    const thrown = await t.throwsAsync(() => orchestrate(createStream(testAccess), request, call));
    t.like((thrown as RefusalError).refusal, {
      code: "INVALID_ARGUMENT",
      fields: [{ field: `authorization.${list}[1]` }],
    });
  }
});

test("a repeated create whose stream is still being made is told to ask again, not that there is none", async (t) => {
  const answers: Record<string, Answer> = {
    "WorkflowRunService.GetRun": refuse("NOT_FOUND", "there is no such run"),
    [addStream.name]: { response: { id: runId }, replayed: false },
    "WorkflowStreamService.GetStream": refuse("NOT_FOUND", "there is no such stream in this run"),
  };
  const asker = askerOf(({ method }) => answers[method]!);
  const call = { caller: testCaller(tenant), asker, deadlineMs: Date.now() + 1_000 } as CallContext;
  const thrown = await t.throwsAsync(() =>
    orchestrate(createStream(testAccess), { run_id: runId, name: "s" }, call),
  );
  t.like((thrown as RefusalError).refusal, { code: "UNAVAILABLE" });
});
