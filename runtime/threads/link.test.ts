import { MessageChannel } from "node:worker_threads";
import test from "ava";
import { limits } from "#base";
import { eventually } from "../../test/support/eventually.ts";
import { systemWorld } from "../world.ts";
import { Link } from "./link.ts";

/** Two ends; what one asks, the other answers when it is told to. */
function startLink() {
  const { port1, port2 } = new MessageChannel();
  const answers: (() => void)[] = [];
  const world = systemWorld();
  const ignore = () => undefined;
  const asking = new Link(port1, world, ignore, ignore, ignore);
  const serving = new Link(
    port2,
    world,
    (_operation, _request, reply) => {
      answers.push(() => reply({ response: null, replayed: false }));
      return undefined;
    },
    ignore,
    ignore,
  );
  return { asking, answers, close: () => [asking, serving].map((link) => link.close()) };
}

const full = { code: "RATE_LIMITED", reason: "MAILBOX_FULL", retryAfterMs: 1_000 } as const;

for (const { what, bytes, count } of [
  { what: "number", bytes: 1, count: limits.linkInFlightMax },
  { what: "bytes", bytes: limits.linkBytesMax / 4, count: 4 },
])
  test(`asks of another thread are bounded by ${what}: over it the caller is told at once, until there is room`, async (t) => {
    const { asking, answers, close } = startLink();
    t.teardown(close);
    const refusals: unknown[] = [];
    const ask = () => asking.call("ask", [], (refusal) => refusals.push(refusal), bytes);
    for (let i = 0; i < count; i++) ask();
    t.deepEqual(refusals, []);
    ask();
    t.is(refusals.length, 1);
    t.like(refusals[0], full);
    await eventually("the other side has all of them", () => answers.length === count || undefined);
    answers[0]!();
    await eventually("one is answered", () => refusals.length === 2 || undefined);
    ask();
    t.is(refusals.length, 2);
    ask();
    t.like(refusals[2], full);
  });

test("a link that closes tells whoever waits, and whoever comes", async (t) => {
  const { asking, close } = startLink();
  const refusals: unknown[] = [];
  asking.call("ask", [], (refusal) => refusals.push(refusal));
  close();
  asking.call("ask", [], (refusal) => refusals.push(refusal));
  t.is(refusals.length, 2);
  for (const refusal of refusals) t.like(refusal, { code: "UNAVAILABLE", reason: "STARTING" });
});
