import test, { type ExecutionContext } from "ava";
import { limits, type Refusal, refuse } from "#base";
import { testCaller } from "../../test/support/entity.ts";
import type { CallContext } from "../module.ts";
import { workStream } from "./work.ts";

type Message = Record<string, unknown>;
interface Question {
  readonly method: string;
  readonly request: Message;
}
type Answers = (question: Question) => Promise<object | undefined> | object | undefined;

/** A Work stream over a queue that answers as it is told; without an answer it waits until the stream ends. */
function open(
  t: ExecutionContext,
  answers: Answers,
  hello: Message = { credit: 1 },
  settle?: Promise<Message>,
) {
  t.timeout(20_000);
  const stop = new AbortController();
  t.teardown(() => stop.abort());
  const asked: { method: string; request: Message }[] = [];
  const ask = async (question: { method: string; request: Message; signal?: AbortSignal }) => {
    const { method, request, signal } = question;
    asked.push({ method, request });
    const aborted = () =>
      new Promise<undefined>((resolve) =>
        signal?.addEventListener("abort", () => resolve(undefined), { once: true }),
      );
    const response = (await answers({ method, request })) ?? (await aborted());
    if (response && "code" in response) return response as Refusal;
    return { response: response ?? (method.endsWith("Claim") ? { items: [] } : { lost: [], next: 0 }) };
  };
  const context = {
    caller: testCaller("t"),
    asker: { ask },
    deadlineMs: Number.MAX_SAFE_INTEGER,
    signal: stop.signal,
    now: 0,
  } as unknown as CallContext;
  const frames = workStream(requests(stop.signal, hello, settle), context)[Symbol.asyncIterator]();
  const next = async () => (await frames.next()).value as Record<string, Message>;
  const close = async () => {
    stop.abort();
    await frames.return?.(undefined);
  };
  return {
    next,
    close,
    asked,
    count: (method: string) => asked.filter((one) => one.method === method).length,
  };
}

async function* requests(signal: AbortSignal, hello: Message, settle?: Promise<Message>) {
  yield { hello: { pool_id: "p", recipient_id: "r", ...hello } };
  if (settle !== undefined) yield { settle: { settlements: [await settle] } };
  for (; !signal.aborted; await new Promise((resolve) => setImmediate(resolve)))
    if (hello.more) yield { credit: { items: limits.workCreditMax } };
}

const leased = (id: string) => ({ item: { id }, lease_token: `token of ${id}` });
const lost = (id: string) => ({ queue_item_id: id, lease_token: `token of ${id}`, reason: "cancelled" });

test("a stream that holds nothing waits for items alone; one that does hears of every lease it lost meanwhile", async (t) => {
  let give: (answer: object) => void = () => {};
  const items = new Promise<object>((resolve) => {
    give = resolve;
  });
  const { next, close, count } = open(t, ({ method, request }) => {
    if (method === "QueueService.Claim") return items;
    return request.first === 0 ? { lost: [lost("a")], next: 1 } : undefined;
  });
  const first = next();
  await new Promise((resolve) => setTimeout(resolve, 20));
  t.deepEqual([count("QueueService.Claim"), count("QueueService.WatchLeases")], [1, 0]);
  give({ items: [leased("a")] });
  t.truthy((await first).assigned);
  t.deepEqual((await next()).lease_lost, lost("a"));
  await close();
});

test("a watch that is refused is tried again: the worker still hears of its lost leases", async (t) => {
  let refused = 0;
  const { next, close } = open(t, ({ method }) => {
    if (method === "QueueService.Claim") return { items: [leased("a")] };
    if (refused++ < 2) return refuse("UNAVAILABLE", "the owner moves", { retryAfterMs: 1 });
    return refused === 3 ? { lost: [lost("a")], next: 1 } : undefined;
  });
  t.truthy((await next()).assigned);
  t.deepEqual((await next()).lease_lost, lost("a"));
  await close();
});

test("a worker that settles elsewhere makes its stream remember a bounded number of leases", async (t) => {
  let given = 0;
  let tell: (answer: object) => void = () => {};
  const told = new Promise<object>((resolve) => {
    tell = resolve;
  });
  const answers: Answers = ({ method, request }) => {
    if (method === "QueueService.WatchLeases") return request.first === 0 ? told : undefined;
    const items = Array.from({ length: request.max_items as number }, () => leased(`i${given++}`));
    return given > limits.workHeldMax + limits.claimItemsMax ? undefined : { items };
  };
  const { next, close } = open(t, answers, { credit: 1, more: true });
  let got: { item: { id: string } }[] = [];
  let count = 0;
  while (count <= limits.workHeldMax) {
    got = (await next()).assigned!.items as typeof got;
    count += got.length;
  }
  const last = got.at(-1)!.item.id;
  tell({ lost: [lost("i0"), lost(last)], next: 2 });
  for (let frame = await next(); ; frame = await next()) {
    if (frame.assigned) continue;
    t.is(frame.lease_lost!.queue_item_id, last, "the oldest is forgotten");
    break;
  }
  await close();
});

test("an old token does not make a stream forget the lease it was given since", async (t) => {
  let send: (settlement: Message) => void = () => {};
  const settle = new Promise<Message>((resolve) => {
    send = resolve;
  });
  let answered: () => void = () => {};
  const round = new Promise<void>((resolve) => {
    answered = resolve;
  });
  const stale = { queue_item_id: "a", lease_token: "old", outcome: "complete" };
  const error = { error_code: "LEASE_LOST", reason: "reassigned" };
  let claims = 0;
  const answers: Answers = async ({ method, request }) => {
    if (method === "QueueService.Claim") return claims++ === 0 ? { items: [leased("a")] } : undefined;
    if (method === "QueueService.WatchLeases") {
      await round;
      return request.first === 0 ? { lost: [lost("a")], next: 1 } : undefined;
    }
    setTimeout(answered, 20);
    return { results: [{ index: 0, queue_item_id: "a", error }], items: [] };
  };
  const { next, close } = open(t, answers, { credit: 1 }, settle);
  t.truthy((await next()).assigned);
  send(stale);
  t.deepEqual((await next()).lease_lost, {
    queue_item_id: "a",
    lease_token: "old",
    reason: "reassigned",
  });
  t.deepEqual((await next()).lease_lost, lost("a"));
  await close();
});

test("what was assigned and not sent when a stream ends is released at once", async (t) => {
  let give: (answer: object) => void = () => {};
  const late = new Promise<object>((resolve) => {
    give = resolve;
  });
  let claims = 0;
  const { next, close, asked } = open(
    t,
    ({ method, request }) => {
      if (method === "QueueService.Claim") return claims++ === 0 ? { items: [leased("a")] } : late;
      if (method === "QueueService.SettleBatch") return { results: [] };
      return request.first === 0 ? { lost: [lost("a")], next: 1 } : undefined;
    },
    { credit: 2 },
  );
  t.truthy((await next()).assigned);
  t.truthy((await next()).lease_lost);
  // The worker reads no further: what comes now stays here.
  give({ items: [leased("b")] });
  await new Promise((resolve) => setTimeout(resolve, 20));
  await close();
  const released = asked.filter(({ method }) => method === "QueueService.SettleBatch");
  t.deepEqual(
    released.map(({ request }) => request.settlements),
    [[{ queue_item_id: "b", lease_token: "token of b", outcome: "release" }]],
  );
});
