import type { TestFn } from "ava";
import type { Objects, Storage } from "#storage";
import { bytesOf, type MakeEngine } from "./engine.cases.ts";

/** What the objects of every engine promise. */
export function objectsCases(test: TestFn, makeEngine: MakeEngine): void {
  const objectsTest = (
    name: string,
    run: (
      t: import("ava").ExecutionContext,
      objects: Objects,
      prefix: string,
      other: Storage,
    ) => Promise<void>,
  ) =>
    test(name, async (t) => {
      const engine = await makeEngine();
      const storage = await engine.attach();
      const other = await engine.attach();
      try {
        await run(t, storage.objects, `case-${engine.newShard()}/`, other);
      } finally {
        await storage.close();
        await other.close();
        await engine.close();
      }
    });

  objectsTest(
    "objects: a body is read back complete, also through another handle",
    async (t, objects, prefix, other) => {
      const key = `${prefix}reports/2026 ü.bin`;
      t.is(await objects.get(key), undefined);
      t.deepEqual(await objects.put(key, chunks(["hello ", "", "world"])), { bytes: 11 });
      t.is(await read(objects, key), "hello world");
      t.is(await read(other.objects, key), "hello world");
    },
  );

  objectsTest("objects: a range is cut to the length of the body", async (t, objects, prefix) => {
    const key = `${prefix}range`;
    await objects.put(key, chunks(["0123", "4567", "89"]));
    t.is(await read(objects, key, { start: 3, end: 6 }), "345");
    t.is(await read(objects, key, { start: 7 }), "789");
    t.is(await read(objects, key, { start: 8, end: 99 }), "89");
    t.is(await read(objects, key, { start: 4, end: 4 }), "");
    t.is(await read(objects, key, { start: 10 }), "");
  });

  objectsTest("objects: a large body of many chunks keeps every byte", async (t, objects, prefix) => {
    const key = `${prefix}large`;
    const part = Buffer.alloc(65_537, 0);
    for (let i = 0; i < part.length; i++) part[i] = (i * 7) & 0xff;
    await objects.put(key, repeat(part, 40));
    const whole = Buffer.concat(await collect(objects, key));
    t.is(whole.length, part.length * 40);
    for (let i = 0; i < 40; i++)
      t.is(whole.compare(part, 0, part.length, i * part.length, (i + 1) * part.length), 0);
    const cut = await read(objects, key, { start: part.length - 2, end: part.length + 2 });
    t.is(cut.length, Buffer.concat([part.subarray(-2), part.subarray(0, 2)]).toString("utf8").length);
  });

  objectsTest(
    "objects: a put replaces a body, a body may be empty, and a delete may be repeated",
    async (t, objects, prefix) => {
      const key = `${prefix}k`;
      await objects.put(key, chunks(["first"]));
      await objects.put(key, chunks(["2"]));
      t.is(await read(objects, key), "2");
      await objects.put(key, chunks([]));
      t.is(await read(objects, key), "");
      await objects.delete(key);
      await objects.delete(key);
      t.is(await objects.get(key), undefined);
    },
  );

  objectsTest(
    "objects: a put whose body breaks off leaves the earlier body in place",
    async (t, objects, prefix) => {
      const key = `${prefix}broken`;
      await objects.put(key, chunks(["whole"]));
      await t.throwsAsync(objects.put(key, broken()), { message: "the caller went away" });
      t.is(await read(objects, key), "whole");
    },
  );
}

async function* chunks(texts: readonly string[]): AsyncIterable<Uint8Array> {
  for (const text of texts) yield bytesOf(text);
}

async function* repeat(part: Uint8Array, times: number): AsyncIterable<Uint8Array> {
  for (let i = 0; i < times; i++) yield part;
}

async function* broken(): AsyncIterable<Uint8Array> {
  yield bytesOf("half");
  throw new Error("the caller went away");
}

async function read(objects: Objects, key: string, range?: { start: number; end?: number }): Promise<string> {
  return Buffer.concat(await collect(objects, key, range)).toString("utf8");
}

async function collect(
  objects: Objects,
  key: string,
  range?: { start: number; end?: number },
): Promise<Uint8Array[]> {
  const body = await objects.get(key, range);
  const parts: Uint8Array[] = [];
  for await (const part of body ?? []) parts.push(Buffer.from(part));
  return parts;
}
