/**
 * A process that asks for effects, one after the other, until it is killed; with the argument `finish` it reports which
 * are done.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { isRefusal } from "#base";
import { startRuntime, systemWorld } from "#runtime";
import { attachStorage, startStorage } from "#storage";
import { type ErrandCommand, errand } from "../support/runtime/errand.ts";
import { callerOf } from "../support/runtime/fixture.ts";

const [dir, url, start, finish] = process.argv.slice(2) as [string, string, string, string?];
const host = await startStorage({ engine: "embedded", dir }, () => {});
const runtime = await startRuntime({
  storage: await attachStorage(host.bootstrap(0).data),
  shards: [...Array(8).keys()],
  definitions: [errand],
  world: systemWorld(),
  limits: { shardCount: 8 },
  effects: {
    call: {
      async run({ id, attempt, begin }) {
        await begin();
        const response = await fetch(url, { method: "POST", body: `${id} ${attempt}` });
        if (!response.ok) throw new Error(`the server answered ${response.status}`);
        return "done";
      },
    },
  },
});

const keys = ["a", "b", "c", "d"];
const tell = async (key: string, command: ErrandCommand): Promise<Record<string, unknown>> => {
  const answer = await runtime.ask({
    to: { kind: "errand", tenant: "t", key },
    method: "Errand.Do",
    request: { command },
    caller: callerOf("t"),
    deadlineMs: Date.now() + 30_000,
  });
  if (isRefusal(answer)) throw new Error(answer.detail);
  return answer.response as Record<string, unknown>;
};

console.log("started");
if (finish === undefined)
  for (let number = 0; ; number++) {
    const id = `${start}-${number}`;
    await tell(keys[number % keys.length]!, { type: "send", id });
    console.log(`ack ${id}!`);
  }
for (;;) {
  const done = await Promise.all(keys.map((key) => tell(key, { type: "results" })));
  console.log(`results ${JSON.stringify(done.flatMap(Object.keys))}!`);
  await sleep(500);
}
