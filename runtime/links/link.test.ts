import { MessageChannel } from "node:worker_threads";
import test from "ava";
import { limits } from "#base";
import { eventually } from "../../test/support/eventually.ts";
import type { Answer } from "../ask.ts";
import { systemWorld } from "../world.ts";
import type { PackedAsk } from "./ask-codec.ts";
import { Decoder } from "./decoder.ts";
import { Encoder } from "./encoder.ts";
import { Link } from "./link.ts";
import { type Handlers, items, operations } from "./protocol.ts";

/** Two ends; what one asks, the other answers when it is told to. */
function startLink(response: unknown = null) {
  const { port1, port2 } = new MessageChannel();
  const answers: (() => void)[] = [];
  const world = systemWorld();
  const ignore = () => undefined;
  const asking = new Link(port1, world, {}, ignore, ignore);
  const ask: Handlers["ask"] = (_packed, reply) => {
    answers.push(() => reply({ response, replayed: false }));
  };
  const serving = new Link(port2, world, { ask, askHere: ask }, ignore, ignore);
  return { asking, answers, close: () => [asking, serving].map((link) => link.close()) };
}

/** A link does not look at what it carries. */
function packed(...values: readonly unknown[]): PackedAsk {
  return values as unknown as PackedAsk;
}

const full = { code: "RATE_LIMITED", reason: "MAILBOX_FULL", retryAfterMs: 1_000 } as const;

for (const { operation, what, bytes, count } of [
  { operation: "ask", what: "number", bytes: 1, count: limits.linkInFlightMax },
  { operation: "ask", what: "bytes", bytes: limits.linkBytesMax / 4, count: 4 },
  { operation: "askHere", what: "number", bytes: 1, count: limits.linkInFlightMax },
  { operation: "askHere", what: "bytes", bytes: limits.linkBytesMax / 4, count: 4 },
] as const)
  test(`asks of another ${operation === "ask" ? "thread" : "node"} are bounded by ${what}: over it the caller is told at once, until there is room`, async (t) => {
    const { asking, answers, close } = startLink();
    t.teardown(close);
    const refusals: unknown[] = [];
    const ask = () => asking.call(operation, packed(), (refusal) => refusals.push(refusal), bytes);
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

test("a link that closes tells callers that wait, and those that come", async (t) => {
  const { asking, close } = startLink();
  const refusals: unknown[] = [];
  asking.call("ask", packed(), (refusal) => refusals.push(refusal));
  close();
  asking.call("ask", packed(), (refusal) => refusals.push(refusal));
  t.is(refusals.length, 2);
  for (const refusal of refusals) t.like(refusal, { code: "UNAVAILABLE", reason: "STARTING" });
});

test("a peer that ends: what it asked is cancelled, who asked it is told, and its successor is told names anew", async (t) => {
  const world = systemWorld();
  const ignore = () => undefined;
  const cancelled: unknown[] = [];
  const answers: unknown[] = [];
  const ask = { place: "somewhere", colour: "blue" };
  const join = (ended: () => void) => {
    const { port1, port2 } = new MessageChannel();
    const answer: Handlers["ask"] = (request, reply, signal) => {
      if (request[0] === "wait") signal.addEventListener("abort", () => cancelled.push("wait"));
      else reply({ response: request, replayed: false });
    };
    const here = new Link(port1, world, { ask: answer }, ignore, ended);
    const there = new Link(port2, world, { ask: answer }, ignore, ignore);
    return { here, there };
  };
  const note = (answer: Answer) => answers.push(answer);
  let ended = 0;
  const first = join(() => ended++);
  first.here.call("ask", packed(ask, ask), note);
  first.there.call("ask", packed("wait"), ignore);
  first.here.call("ask", packed("wait"), note);
  await eventually("one is answered", () => answers.length === 1 || undefined);
  first.there.close();
  await eventually("the end is seen", () => ended === 1 || undefined);
  t.deepEqual(answers[0], { response: [ask, ask], replayed: false });
  t.like(answers[1], { code: "UNAVAILABLE", reason: "STARTING" });
  t.deepEqual(cancelled, ["wait", "wait"]);

  const second = join(ignore);
  t.teardown(() => [second.here.close(), second.there.close()]);
  second.here.call("ask", packed(ask, ask), note);
  await eventually("the successor answers", () => answers.length === 3 || undefined);
  t.deepEqual(answers[2], { response: [ask, ask], replayed: false });
});

test("what is no plain data is told to its sender, and the link goes on", async (t) => {
  const { port1, port2 } = new MessageChannel();
  const world = systemWorld();
  const ignore = () => undefined;
  const unsendable = 2n ** 200n;
  const asking = new Link(port1, world, {}, ignore, ignore);
  const ask: Handlers["ask"] = (request, reply) =>
    reply({ response: request[0] === "bad answer" ? unsendable : request, replayed: false });
  const serving = new Link(port2, world, { ask }, ignore, ignore);
  t.teardown(() => [asking, serving].map((link) => link.close()));
  const answers: unknown[] = [];
  for (const request of [["one", { a: 1 }], [{ b: unsendable }], ["bad answer"], [{ b: 1 }, { a: 1 }]])
    asking.call("ask", packed(...request), (answer) => answers.push(answer));
  asking.call("ask", packed(unsendable), (answer) => answers.push(answer));
  await eventually("all are answered", () => answers.length === 5 || undefined);
  const internal = { code: "INTERNAL" } as const;
  t.like(answers[0], internal);
  t.like(answers[1], internal);
  t.deepEqual(answers[2], { response: ["one", { a: 1 }], replayed: false });
  t.like(answers[3], internal);
  t.deepEqual(answers[4], { response: [{ b: 1 }, { a: 1 }], replayed: false });
  t.is(asking.inFlight, 0);
});

test("what is sent arrives in the order in which it was sent, large or small", async (t) => {
  const { port1, port2 } = new MessageChannel();
  const world = systemWorld();
  const ignore = () => undefined;
  const heard: unknown[] = [];
  const telling = new Link(port1, world, {}, ignore, ignore);
  const hearing = new Link(port2, world, {}, (topic, payload) => heard.push([topic, payload]), ignore);
  t.teardown(() => [telling, hearing].map((link) => link.close()));
  const large = "x".repeat(3 * limits.linkFrameBytes);
  const said = Array.from({ length: 40 }, (_, i) => [`topic-${i}`, i % 7 === 0 ? { large, i } : { i }]);
  for (const [topic, payload] of said) telling.broadcast(topic as string, payload);
  await eventually("all is heard", () => heard.length === said.length || undefined);
  t.deepEqual(heard, said);
});

for (const operation of ["ask", "askHere"] as const)
  test(`a peer that reads no answers to "${operation}" gets its asks refused, until it has read them`, async (t) => {
    const { port1, port2 } = new MessageChannel();
    const world = systemWorld();
    const ignore = () => undefined;
    const response = "x".repeat(limits.linkUnreadBytesMax / 4);
    let asked = 0;
    const replies: Handlers["ask"] = (_packed, reply) => {
      asked++;
      reply({ response, replayed: false });
    };
    const serving = new Link(port1, world, { ask: replies, askHere: replies }, ignore, ignore);
    t.teardown(() => [serving.close(), port2.close()]);
    const encoder = new Encoder();
    const decoder = new Decoder();
    const say = (...values: readonly unknown[]) => {
      for (const value of values) encoder.value(value);
      port2.postMessage(encoder.take());
    };
    const ask = (id: number) => say(items.call, id, operations.indexOf(operation), []);
    for (let id = 1; id <= 5; id++) ask(id);
    await eventually("four are answered", () => asked === 4 || undefined);

    const frames: Uint8Array[] = [];
    port2.on("message", (frame: Uint8Array) => frames.push(frame));
    const answer = async (frame: number) => {
      await eventually("an answer came", () => frames.length > frame || undefined);
      decoder.open(frames[frame]!);
      return [decoder.value(), decoder.value(), decoder.value()];
    };
    for (let id = 1; id <= 4; id++) t.deepEqual((await answer(id - 1)).slice(0, 2), [items.reply, id]);
    const [, id, refusal] = await answer(4);
    t.is(id, 5);
    t.like(refusal, full);
    t.is(asked, 4);

    say(items.read, frames[0]!.length);
    ask(6);
    t.deepEqual(await answer(5), [items.reply, 6, { response, replayed: false }]);
  });

test("a peer that reads its answers may ask for any number of them", async (t) => {
  const response = "x".repeat(limits.linkUnreadBytesMax / 4);
  const { asking, answers, close } = startLink(response);
  t.teardown(close);
  for (let round = 0; round < 10; round++) {
    const answered = new Promise((resolve) => {
      asking.call("ask", packed(), resolve);
    });
    await eventually("it was asked", () => answers.length > round || undefined);
    answers[round]!();
    t.deepEqual(await answered, { response, replayed: false });
  }
});
