import test from "ava";
import type { Interference, Verdict } from "../storage/memory/index.ts";
import { settle, startFixture } from "../test/support/runtime/fixture.ts";

test("a broadcast is heard after its commit", async (t) => {
  const { ask, runtime } = await startFixture();
  const heard: unknown[] = [];
  runtime.onBroadcast((topic, payload) => heard.push([topic, payload]));
  await ask({ type: "announce", topic: "news" });
  t.deepEqual(heard, [["news", { from: "a" }]]);
});

test("a listener that throws keeps neither other listeners from hearing nor callers from their answers", async (t) => {
  const logged: string[] = [];
  const { ask, runtime } = await startFixture({
    logger: { error: (_, text) => void logged.push(text!), warn: () => {}, info: () => {} },
  });
  const heard: string[] = [];
  runtime.onBroadcast(() => {
    throw new Error("not today");
  });
  runtime.onBroadcast((topic) => heard.push(topic));
  const answers = await Promise.all([ask({ type: "announce", topic: "x" }), ask({ type: "add", amount: 1 })]);
  t.like(answers, [{ replayed: false }, { response: { sum: 1 } }]);
  t.deepEqual(heard, ["x"]);
  t.deepEqual(logged, ["a listener failed when it was told of a broadcast"]);
});

test("a broadcast whose commit outlived its ownership term is heard from the next, and then never again", async (t) => {
  let verdict: Verdict = "proceed";
  const interference: Interference = {
    before: (operation) => (operation.type === "append" ? verdict : "proceed"),
  };
  const first = await startFixture({ interference });
  const heard: unknown[] = [];
  first.runtime.onBroadcast((topic, payload) => heard.push([topic, payload]));
  await first.ask({ type: "read" });
  verdict = { type: "unknown", applied: true };
  const lost = first.ask({ type: "announce", topic: "news" });
  await settle();
  verdict = "proceed";
  t.like(await lost, { refused: true, code: "UNAVAILABLE" });
  await first.world.advance(1_000);
  t.deepEqual(heard, [["news", { from: "a" }]]);
  await first.world.advance(1_000);
  const second = await first.restart({});
  second.runtime.onBroadcast((topic, payload) => heard.push([topic, payload]));
  await second.ask({ type: "read" });
  await second.world.advance(1_000);
  t.is(heard.length, 1);
});
