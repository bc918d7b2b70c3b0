import type { DescMessage } from "@bufbuild/protobuf";
import { type Doors, doorsOf } from "../contract/support/clients.ts";
import { probeContract } from "../contract/support/service.ts";
import { DoorStream, isSocket } from "./door-stream.ts";
import { hashOf } from "./hash.ts";
import { test } from "./support.ts";

/** What becomes of content that is sent one way: the reason of its refusal, or all that readers then get. */
type Way = (
  stream: DoorStream,
  type: string,
  content: string,
) => Promise<Refused | { readonly read: string }>;
type Refused = { readonly reason: string | undefined };

const text = (content: string) => Buffer.from(content).toString("base64");

/** By the field that carries the content. */
const ways: Readonly<Record<string, Way>> = {
  "AppendRecords.records.payload": (stream, content_type, content) =>
    append(stream, { content_type, payload: parsed(content) }),
  "AppendRecords.records.bytes": (stream, content_type, content) =>
    append(stream, { content_type, bytes: text(content) }),
  "UploadObject.data": upload,
};

async function append(stream: DoorStream, record: object): ReturnType<Way> {
  // In the middle of a batch, and as every kind.
  for (const kind of ["data", "input", "control"]) {
    const records = [{ ...record, kind }, { ...record }];
    const outcome = await stream.ask("AppendRecords", { records });
    if (!outcome.ok) return { reason: outcome.error.reason };
  }
  const { records } = await stream.get<{ records: { payload?: unknown; bytes?: string }[] }>("ReadRecords");
  const bodies = records.map(({ payload, bytes }) =>
    bytes === undefined ? JSON.stringify(payload) : Buffer.from(bytes, "base64").toString(),
  );
  return { read: bodies.join("\n") };
}

async function upload(stream: DoorStream, content_type: string, content: string): ReturnType<Way> {
  const bytes = Buffer.from(content);
  const intent = {
    idempotency_key: `of ${content_type}`,
    digest: hashOf(bytes),
    size: bytes.length,
    content_type,
  };
  const prepared = await stream.ask("PrepareObject", intent);
  if (!prepared.ok) return { reason: prepared.error.reason };
  const { object_id, authorization_receipt } = prepared.message as Record<string, string>;
  const headers = { "x-object-receipt": authorization_receipt! };
  const sent = await stream.stream("UploadObject", [{ object_id }, { data: text(content) }], { headers });
  if (!sent.ok) return { reason: sent.error.reason };
  await stream.get("CommitObject", { object_id }, headers);
  const down = await stream.stream("GetObject", [{ object_id }]);
  const pieces = (down as { message: unknown }).message as { data: string }[];
  return { read: Buffer.concat(pieces.map(({ data }) => Buffer.from(data, "base64"))).toString() };
}

function parsed(content: string): unknown {
  try {
    return JSON.parse(content.replace("\ufeff", ""));
  } catch {
    return content;
  }
}

/** Fields of a request that carry what a caller makes up: bytes, and JSON of any form. */
function contentFields(message: DescMessage, path: string): string[] {
  return message.fields.flatMap((field) => {
    const name = `${path}.${field.name}`;
    if (field.message?.typeName === "google.protobuf.Value") return [name];
    if (field.message && field.message.file.proto.package === "service.api")
      return contentFields(field.message, name);
    return field.scalar === 12 ? [name] : [];
  });
}

test("every field through which content comes into a stream is one of the ways that are tried here", (t) => {
  const methods = [...probeContract.byName].filter(([name]) => name.startsWith("WorkflowStreamService."));
  const fields = methods.flatMap(([name, { descriptor }]) =>
    contentFields(descriptor.input, name.slice("WorkflowStreamService.".length)),
  );
  t.deepEqual(fields.sort(), Object.keys(ways).sort());
});

const contents = {
  "application/json": '{"open": 1, "secret": "s3cret", "list": [{"secret": "s3cret"}]}',
  "Application/Problem+JSON; charset=utf-8": '{"secret": {"deep": "s3cret"}}',
  "text/json": '\ufeff{"secret": "s3cret"}',
  "text/plain; charset=utf-8": "some text",
  "image/png": "not really",
  "": "whatever this is",
};

/** Which of them each class admits; without a type a payload is JSON, and bytes are binary. */
const json = ["application/json", "Application/Problem+JSON; charset=utf-8", "text/json"];
const admitted: Readonly<Record<string, readonly string[]>> = {
  json,
  text: ["text/plain; charset=utf-8"],
  binary: ["image/png"],
  tool_io: [...json, "text/plain; charset=utf-8"],
  model_output: [...json, "text/plain; charset=utf-8"],
};

const redaction = { json_pointers: ["/secret", "/list/*/secret"] };

let doors: Doors | undefined;
test.after.always(() => {
  for (const door of Object.values(doors ?? {})) door.close?.();
});

/** The doors of tenants: those of the internal plane have no streams. A socket makes its unary calls over REST. */
const doorNames: readonly (keyof Doors)[] = [
  "rest-uws",
  "rest-node",
  "connect-json",
  "connect-binary",
  "grpc",
  "grpc-web",
  "native-grpc",
  "native-connect",
  "socket-json",
  "socket-proto",
];

for (const name of doorNames)
  for (const [field, send] of Object.entries(ways)) {
    if (isSocket(name) && field !== "UploadObject.data") continue;

    test.serial(`${name}, ${field}: a stream takes content of its classes, and no other`, async (t) => {
      doors ??= doorsOf(t.context.service);
      for (const [contentClass, types] of Object.entries(admitted)) {
        const stream = await DoorStream.make(doors[name], { content_classes: [contentClass] });
        for (const [type, content] of Object.entries(contents)) {
          const before = await stream.latest();
          const result = await send(stream, type, content);
          const fits = types.includes(type) || (type === "" && types.includes(defaultType(field)));
          const what = `${type} in ${contentClass}`;
          if (fits) t.true("read" in result, `${what}: ${JSON.stringify(result)}`);
          else t.deepEqual(result, { reason: "CONTENT_CLASS" }, what);
          if (!fits) t.is(await stream.latest(), before, what);
        }
      }
    });

    test.serial(`${name}, ${field}: what the pointers name is not stored`, async (t) => {
      doors ??= doorsOf(t.context.service);
      for (const type of json) {
        const stream = await DoorStream.make(doors[name], { content_classes: ["json"], redaction });
        const result = await send(stream, type, contents[type as keyof typeof contents]);
        if (field === "UploadObject.data") t.deepEqual(result, { reason: "REDACTION" });
        else {
          t.regex((result as { read: string }).read, /"secret":"\[redacted\]"/);
          t.false((result as { read: string }).read.includes("s3cret"));
        }
      }
    });
  }

function defaultType(field: string): string {
  return field === "AppendRecords.records.payload" ? "application/json" : "image/png";
}
