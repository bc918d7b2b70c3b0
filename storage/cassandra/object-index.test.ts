import test from "ava";
import { StorageError } from "#storage";
import { ObjectIndex, type StoredObject } from "./object-index.ts";
import type { Session, Statement } from "./session.ts";
import { objectStatements } from "./statements.ts";

test("the answer to a put is lost and another put follows: the second stays, and the chunks of the first are deleted", async (t) => {
  const pointers = new Pointers();
  const other = body("b");
  const lost = pointers.afterNext(() => pointers.index.point("key", other));
  t.deepEqual(await pointers.index.point("key", body("a")), [body("a")]);
  t.deepEqual(await lost, [body("a")], "whose chunks are removed");
  t.is((await pointers.index.find("key"))?.id, "b");
});

test("the answer to a replacement is lost and another follows: the two bodies before it are deleted", async (t) => {
  const pointers = new Pointers();
  await pointers.index.point("key", body("old"));
  const lost = pointers.afterNext(() => pointers.index.point("key", body("b")));
  t.deepEqual(await pointers.index.point("key", body("a")), [body("old"), body("a")]);
  await lost;
  t.is((await pointers.index.find("key"))?.id, "b");
});

test("the answer to a put is lost and nothing else happens: the object is there", async (t) => {
  const pointers = new Pointers();
  const lost = pointers.afterNext(async () => []);
  t.deepEqual(await pointers.index.point("key", body("a")), []);
  await lost;
  t.is((await pointers.index.find("key"))?.id, "a");
});

test("the answer to a put is lost and the object is deleted: the key does not point to a body whose chunks are deleted", async (t) => {
  const pointers = new Pointers();
  const lost = pointers.afterNext(async () => [(await pointers.index.remove("key"))!]);
  const error = await t.throwsAsync(pointers.index.point("key", body("a")), { instanceOf: StorageError });
  t.is(error?.kind, "unknown");
  t.deepEqual(await lost, [body("a")]);
  t.is(await pointers.index.find("key"), undefined);
});

function body(id: string): StoredObject {
  return { id, bytes: 1, digest: Buffer.from(id) };
}

/** One stored pointer, with the statements that read and change it. */
class Pointers {
  #stored: StoredObject | undefined;
  #afterNext: (() => Promise<void>) | undefined;
  readonly index = new ObjectIndex({
    serial: async () => ({ first: () => this.#stored ?? null }),
    conditional: async ([statement]: readonly Statement[]) => {
      const applied = this.#apply(statement!);
      const interrupt = this.#afterNext;
      this.#afterNext = undefined;
      await interrupt?.();
      if (interrupt !== undefined) throw new Error("the answer is lost");
      return { applied, row: undefined };
    },
  } as unknown as Session);

  /** The next change is applied, then `act` runs, and the answer of the change is lost. */
  afterNext<T>(act: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#afterNext = async () => await act().then(resolve, reject);
    });
  }

  #apply({ query, params }: Statement): boolean {
    const expected = query === objectStatements.create ? undefined : params.at(-1);
    if (this.#stored?.id !== expected) return false;
    const [id, bytes, digest] = params as [string, number, Buffer];
    this.#stored = query === objectStatements.remove ? undefined : { id, bytes, digest };
    return true;
  }
}
