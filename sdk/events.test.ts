import test from "ava";
import fc from "fast-check";
import { SwitchyardError } from "./errors.ts";
import { eventLengthMax, readEvents, type ServerEvent } from "./events.ts";

const text = [
  "retry: 2000\n\n",
  ": a comment\n\n",
  'event: record\r\nid: 1\r\ndata: {"a": "ä😀"}\r\n\r\n',
  "data: first\rdata:second\r\r",
  "id: 2\n\n",
  "event: empty\n\n",
  "data:  with a blank\nid: x\0y\n\n",
  "data: without an end\n",
].join("");

const expected: readonly ServerEvent[] = [
  { event: "record", data: '{"a": "ä😀"}', id: "1" },
  { event: "message", data: "first\nsecond", id: "1" },
  { event: "message", data: " with a blank", id: "2" },
];

async function read(chunks: readonly Uint8Array[]): Promise<readonly ServerEvent[]> {
  async function* body() {
    yield* chunks;
  }
  const events: ServerEvent[] = [];
  for await (const event of readEvents(body())) events.push(event);
  return events;
}

test("events are the same wherever the body is cut into chunks", async (t) => {
  const bytes = new TextEncoder().encode(text);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 9 })), async (lengths) => {
      const chunks: Uint8Array[] = [];
      let at = 0;
      for (const length of lengths) {
        chunks.push(bytes.slice(at, at + length));
        at += length;
      }
      chunks.push(bytes.slice(at));
      t.deepEqual(await read(chunks), expected);
    }),
  );
});

for (const part of [`data: ${"x".repeat(1_000)}`, "data: x\n".repeat(100)])
  test(`given an event of ${part.slice(0, 8).trim()}… without an end, when it is too long, then it is given up`, async (t) => {
    const bytes = new TextEncoder().encode(part);
    await t.throwsAsync(read(Array.from({ length: eventLengthMax / 100 }, () => bytes)), {
      instanceOf: SwitchyardError,
      message: /^PAYLOAD_TOO_LARGE/,
    });
  });
