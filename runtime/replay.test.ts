import test from "ava";
import fc from "fast-check";
import type { MemoryStore } from "../storage/memory/index.ts";
import { startFixture } from "../test/support/runtime/fixture.ts";
import { cover, type NotebookCommand, notebook } from "../test/support/runtime/notebook.ts";
import { isModules, type RowImage, replayApply } from "../test/support/runtime/replay.ts";
import { untrimmed } from "../test/support/untrimmed.ts";

type Step =
  | { type: "command"; key: string; command: NotebookCommand; once: string | undefined }
  | { type: "pass"; ms: number }
  | { type: "crash" };

const id = fc.constantFrom("x", "y");
const command: fc.Arbitrary<NotebookCommand> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant("add" as const),
      amount: fc.nat(9),
      send: fc.constantFrom("a", "b", "c"),
    }),
  },
  fc.record({ type: fc.constant("add" as const), amount: fc.nat(9), publish: fc.boolean() }),
  fc.constant<NotebookCommand>({ type: "clear" }),
  fc.record({ type: fc.constant("both" as const), amount: fc.nat(9) }),
  fc.record({ type: fc.constant("alarm" as const), id, dueMs: fc.constant(1_800_000_000_500) }),
  fc.record({ type: fc.constant("unalarm" as const), id }),
  fc.constant<NotebookCommand>({ type: "break", where: "apply" }),
);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constant("command" as const),
      key: fc.constantFrom("a", "b", "c"),
      command,
      once: fc.option(fc.constantFrom("1", "2", "3"), { nil: undefined }),
    }),
  },
  fc.record({ type: fc.constant("pass" as const), ms: fc.constantFrom(10, 300, 1_000) }),
  fc.constant<Step>({ type: "crash" }),
);

function storedRows(store: MemoryStore): RowImage {
  const image: RowImage = new Map();
  for (const [name, { values }] of store.partitions) {
    const partition = name.slice(name.indexOf(":") + 1);
    if (values.size > 0 && isModules(partition)) image.set(partition, values);
  }
  return image;
}

test("`apply` from empty over an untrimmed journal gives the rows that the tables hold, whatever happened", async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      let fixture = await startFixture({ interference: untrimmed });
      for (const one of steps) {
        if (one.type === "crash") fixture = await fixture.restart();
        else if (one.type === "pass") await fixture.world.advance(one.ms);
        else {
          const { key, once } = one;
          await fixture.ask(one.command, once === undefined ? { key } : { key, once });
        }
      }
      await fixture.world.advance(5_000);
      fixture.runtime.stop();
      const applied: RowImage = new Map();
      for (const shard of fixture.store.shards.values())
        for (const [partition, rows] of replayApply([notebook, cover], shard.entries))
          applied.set(partition, rows);
      t.deepEqual(plain(applied), plain(storedRows(fixture.store)));
    }),
    { numRuns: 60 },
  );
});

function plain(image: RowImage): Record<string, Record<string, string>> {
  const entries = [...image].map(([partition, rows]) => {
    const values = [...rows].map(([key, value]) => [key, Buffer.from(value).toString("hex")] as const);
    return [partition, Object.fromEntries(values.sort(byKey))] as const;
  });
  return Object.fromEntries(entries.sort(byKey));
}

function byKey(a: readonly [string, unknown], b: readonly [string, unknown]): number {
  return a[0] < b[0] ? -1 : 1;
}
