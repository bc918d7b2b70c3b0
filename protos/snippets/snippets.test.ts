import { readFileSync } from "node:fs";
import test from "ava";
import { asCommand, asCurl, asPython, asTypeScript, exampleOf, snippetsOf } from "#protos/snippets";
import type { NamedMethod, Surface } from "#protos/surface";

const surface: Surface = JSON.parse(readFileSync(new URL("../gen/surface.json", import.meta.url), "utf8"));
const methodOf = (id: string) => surface.methods.find((method) => method.id === id) as NamedMethod;
const id = "01J9ZC5T8N4W0QK7V3M2B6XH1D";

test("given short values a call is short: flags and positions, one line, no options", (t) => {
  const enqueue = methodOf("QueueService.Enqueue");
  const request = { pool_id: id, key: "it's", payload: { ticket: 1 } };
  t.is(
    asCommand(surface, enqueue, request),
    `service items enqueue ${id} --key 'it'\\''s' --payload '{"ticket":1}'`,
  );
  t.regex(asCurl(enqueue, request), /-d '\{"key": "it'\\''s", "payload": \{"ticket": 1\}\}'$/);
  t.regex(asTypeScript(enqueue, request), /\n {2}key: "it's",\n {2}payload: \{ ticket: 1 \},\n\}\);\n/);
  t.regex(asPython(enqueue, request), /\n {8}key="it's",\n {8}payload=\{"ticket": 1\},\n {4}\)\n/);
});

test("given what no flag can say, a command reads the request from a document", (t) => {
  const update = methodOf("PoolService.UpdatePool");
  t.is(
    asCommand(surface, update, { pool_id: id, description: null }),
    `service pools update ${id} -f - <<'EOF'\n{"description": null}\nEOF`,
  );
  t.is(
    asCommand(surface, methodOf("PoolService.GetPool"), { pool_id: "support" }),
    "service api PoolService.GetPool --pool-id support",
  );
});

test("a list is read to its end, and one page where the request names it; a stream goes on", (t) => {
  const list = methodOf("PoolService.ListPools");
  t.regex(asTypeScript(list, {}), /\nfor await \(const one of sy\.pools\.list\(\)\) console\.log\(one\);\n$/);
  t.regex(
    asTypeScript(list, { limit: 2 }),
    /const page = await sy\.pools\.list\(\{ limit: 2 \}\)\.page\(\);/,
  );
  t.regex(asPython(list, { cursor: "c" }), /page = sy\.pools\.list\(cursor="c"\)\.page\(\)/);
  const watch = methodOf("LiveService.WatchPools");
  const request = { pool_ids: [id] };
  t.regex(asCurl(watch, request), /^curl -sSN "\$SWITCHYARD_URL\/api\/live\/pools\?pool_ids=/);
  t.regex(asTypeScript(watch, request), /for await \(const event of sy\.pools\.watch\(/);
  t.regex(asPython(watch, request), /for event in sy\.pools\.watch\(/);
});

test("words of Python and large integers are written as the language takes them", (t) => {
  const python = asPython(methodOf("QueueService.AwaitItem"), {
    pool_id: id,
    queue_item_id: id,
    until: "started",
    class: true,
    n: 2n ** 63n,
  });
  t.regex(python, /sy\.items\.await_\(/);
  t.regex(python, /\*\*\{"class": True\}/);
  t.regex(python, /n="9223372036854775808"/);
});

test("a key of a repeat is given in the client's own way, other headers as headers", (t) => {
  const create = methodOf("PoolService.CreatePool");
  const options = { headers: { "idempotency-key": "k-1", "x-note": "n" } };
  const [curl, command, typescript, python] = snippetsOf(surface, create, { name: "support" }, options);
  t.regex(curl!.source, /-H 'idempotency-key: k-1'/);
  t.regex(command!.source, /--idempotency-key k-1/);
  t.regex(typescript!.source, /\{ idempotencyKey: "k-1", headers: \{ "x-note": "n" \} \}/);
  t.regex(python!.source, /CallOptions\(idempotency_key="k-1", headers=\{"x-note": "n"\}\)/);
});

test("bytes are sent as bytes", (t) => {
  const upload = methodOf("WorkflowStreamService.UploadObject");
  const request = { ...exampleOf(surface, upload).request, data: "AP8iXA==" };
  t.regex(asCurl(upload, request), /^printf %s AP8iXA== \| base64 -d \| curl [\s\S]* --data-binary @-$/);
  t.regex(asTypeScript(upload, request), /data: Uint8Array\.from\(atob\("AP8iXA=="\)/);
  t.regex(asPython(upload, request), /data=b"\\x00\\xff\\x22\\x5c"/);
});

test("methods of the internal plane are called by curl and by service, with the service token", (t) => {
  const [method] = surface.methods.filter(
    ({ plane, rest, kind }) => plane === "internal" && rest && kind === "unary",
  );
  const snippets = snippetsOf(surface, method!, exampleOf(surface, method!).request);
  t.deepEqual(
    snippets.map(({ label }) => label),
    ["curl", "service"],
  );
  t.regex(snippets[0]!.source, /http:\/\/127\.0\.0\.1:50053\/.* -H "authorization: Bearer \$SERVICE_TOKEN"/s);
});

test("an address that is not complete, or has a step in it, is refused", (t) => {
  for (const pool_id of [undefined, "", ".", ".."])
    t.throws(() => asCurl(methodOf("PoolService.GetPool"), { pool_id }), { message: /pool_id is missing/ });
});

test("given a call without a body that needs a time, its example has one", (t) => {
  const properties = { at: { type: "string", format: "date-time" } };
  const schemas = { Check: { type: "object", properties, required: ["at"] } };
  const { request } = exampleOf({ schemas }, { ...methodOf("PoolService.ListPools"), request: "Check" });
  t.deepEqual(request, { at: "2026-01-31T12:00:00Z" });
});
