import test from "ava";
import { MemoryStore, openMemory } from "../../storage/memory/index.ts";
import { callerOf, ManualWorld } from "../../test/support/runtime/fixture.ts";
import { cover, notebook } from "../../test/support/runtime/notebook.ts";
import type { Answer } from "../ask.ts";
import { Thread } from "./thread.ts";

const leftMs = 1_000;

/** A caller asks for a shard that no node holds. Returns what it is told. */
function askForNothing(world: ManualWorld): Answer[] {
  const thread = new Thread({
    storage: openMemory(new MemoryStore()),
    definitions: [notebook, cover],
    world,
    limits: { shardCount: 8 },
    retries: true,
  });
  const answers: Answer[] = [];
  const ask = {
    to: { kind: "notebook", tenant: "t", key: "a" },
    method: "Notebook.Do",
    request: { command: { type: "read" } },
    caller: callerOf("t"),
    deadlineMs: world.nowMs + leftMs,
  };
  thread.ask(ask, (answer) => answers.push(answer));
  return answers;
}

for (const [how, byMs] of [
  ["stays right", 0],
  ["was ten minutes ahead and is set back", -600_000],
  ["is set ten minutes ahead", 600_000],
] as const)
  test(`nobody holds the shard, and the clock ${how}: the caller is told after the time that it had`, async (t) => {
    const world = new ManualWorld();
    const answers = askForNothing(world);
    world.nowMs += byMs;
    await world.advance(leftMs / 2);
    t.deepEqual(answers, [], "it is asked again");
    await world.advance(leftMs / 2);
    t.like(answers, [{ code: "UNAVAILABLE" }]);
  });
