import test from "ava";
import { MemoryStore, openMemory } from "../storage/memory/index.ts";
import { type Answer, startRuntime, systemWorld } from "./index.ts";
import { cover, type NotebookCommand, notebook } from "./support/notebook.ts";

test("a smoke", async (t) => {
  const store = new MemoryStore();
  const shards = [...Array(256).keys()];
  const start = () =>
    startRuntime({
      storage: openMemory(store),
      shards,
      definitions: [notebook, cover],
      world: systemWorld(),
      logger: console,
    });
  const runtime = await start();
  const ask = (command: NotebookCommand, key = "a") =>
    runtime.ask({
      to: { kind: "notebook", tenant: "t", key },
      method: "Notebook.Do",
      request: { command },
      caller: { tenant: "t", subject: "s", requestId: "r", environmentMode: "any", platform: false },
      deadlineMs: Date.now() + 10_000,
    });
  t.log(await ask({ type: "add", amount: 3, publish: true }));
  t.log(await ask({ type: "add", amount: 4, send: "b", delivered: true }));
  t.log(await ask({ type: "read" }, "b"));
  t.log(await ask({ type: "tail", limit: 5 }));
  t.log(await ask({ type: "line", number: 2 }));
  t.log(await ask({ type: "alarm", id: "x", dueMs: Date.now() + 20 }));
  await new Promise((r) => setTimeout(r, 50));
  t.log(await ask({ type: "read" }));
  t.log(await ask({ type: "both", amount: 5 }));
  t.log(await ask({ type: "break", where: "apply" }));
  t.log(await ask({ type: "break", where: "decide" }));
  t.log(await ask({ type: "clear" }));
  t.log(await ask({ type: "tail", limit: 5 }));
  const [one, two] = await Promise.all([
    ask({ type: "await", sum: 10, untilMs: Date.now() + 5000 }),
    ask({ type: "add", amount: 10 }),
  ]);
  t.log(one, two);
  t.log(runtime.actors({ failing: true }));
  runtime.stop();
  const again = await start();
  t.log(
    (await again.ask({
      to: { kind: "notebook", tenant: "t", key: "a" },
      method: "Notebook.Do",
      request: { command: { type: "read" } },
      caller: { tenant: "t", subject: "s", requestId: "r", environmentMode: "any", platform: false },
      deadlineMs: Date.now() + 10_000,
    })) as Answer,
  );
  await again.drain();
  again.stop();
  t.pass();
});
