import test, { type ExecutionContext } from "ava";
import { limits, type Refusal, refuse, systemClock } from "#base";
import { testCaller } from "../../../../test/support/entity.ts";
import { type CallContext, RefusedMessage } from "../../../module.ts";
import { workStream } from "./work.ts";

type Message = Record<string, unknown>;
interface Question {
  readonly method: string;
  readonly request: Message;
  readonly deadlineMs: number;
}
type Answers = (question: Question) => Promise<object | undefined> | object | undefined;

/** A Work stream over a queue that answers as it is told; without an answer it waits until the stream ends. */
function open(
  t: ExecutionContext,
  answers: Answers,
  hello: Message = { credit: 1 },
  settle?: Promise<Message>,
  input?: AsyncIterable<Message>,
) {
  t.timeout(20_000);
  const stop = new AbortController();
  t.teardown(() => stop.abort());
  const asked: Question[] = [];
  let open = 0;
  let most = 0;
  const ask = async ({ signal, ...question }: Question & { signal?: AbortSignal }) => {
    asked.push(question);
    most = Math.max(most, ++open);
    const aborted = () =>
      new Promise<undefined>((resolve) =>
        signal?.addEventListener("abort", () => resolve(undefined), { once: true }),
      );
    const response = (await answers(question)) ?? (await aborted());
    open--;
    if (response && "code" in response) return response as Refusal;
    return { response: { items: [], results: [], lost: [], next: 0, ...response } };
  };
  const context = {
    caller: testCaller("t"),
    asker: { ask },
    deadlineMs: Number.MAX_SAFE_INTEGER,
    signal: stop.signal,
    clock: systemClock,
  } as unknown as CallContext;
  const frames = workStream(input ?? requests(stop.signal, hello, settle), context)[Symbol.asyncIterator]();
  const next = async () => (await frames.next()).value as Record<string, Message>;
  const close = async () => {
    stop.abort();
    await frames.return?.(undefined);
  };
  return {
    next,
    close,
    asked,
    most: () => most,
  };
}

async function* requests(signal: AbortSignal, hello: Message, settle?: Promise<Message>) {
  yield { hello: { pool_id: "p", recipient_id: "r", ...hello } };
  if (settle !== undefined) yield { settle: { settlements: [await settle] } };
  if (hello.later) await new Promise((resolve) => setTimeout(resolve, 20));
  if (hello.later) yield { credit: { items: hello.later } };
  for (; !signal.aborted; await new Promise((resolve) => setImmediate(resolve)))
    if (hello.more) yield { credit: { items: 1_000 } };
}

function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

const leased = (id: string) => ({ item: { id }, lease_token: `token of ${id}` });
const released = (id: string) => ({
  queue_item_id: id,
  lease_token: `token of ${id}`,
  outcome: "release",
});
const lost = (id: string) => ({ queue_item_id: id, lease_token: `token of ${id}`, reason: "cancelled" });

test("a stream has one wait in its queue at a time, for items and lost leases alike, with credit and without", async (t) => {
  let lose: (answer: object) => void = () => {};
  const losing = new Promise<object>((resolve) => {
    lose = resolve;
  });
  const { next, close, asked, most } = open(
    t,
    ({ request }) => {
      if (request.max_items === 2) return { items: [leased("a")] };
      if (request.max_items === 1 && request.first === 0) return losing;
      return request.first === 1 ? { items: [leased("b")], next: 2 } : undefined;
    },
    { credit: 2 },
  );
  t.truthy((await next()).assigned);
  lose({ lost: [lost("a")], next: 1 });
  t.deepEqual((await next()).lease_lost, lost("a"));
  t.truthy((await next()).assigned);
  const listening = next();
  await new Promise((resolve) => setTimeout(resolve, 20));
  t.deepEqual(
    asked.map(({ method, request }) => [method, request.max_items, request.first]),
    [
      ["queue.WorkWait", 2, 0],
      ["queue.WorkWait", 1, 0],
      ["queue.WorkWait", 1, 1],
      ["queue.WorkWait", 0, 2],
    ],
  );
  t.is(most(), 1);
  await close();
  await listening;
});

test("a wait that only listens makes way for one that takes items, as soon as there is credit", async (t) => {
  const { next, close, asked, most } = open(
    t,
    ({ request }) => {
      if (request.max_items === 0 || asked.length > 3) return undefined;
      return { items: [leased(asked.length === 1 ? "a" : "b")] };
    },
    { credit: 1, later: 5 },
  );
  t.truthy((await next()).assigned);
  t.truthy((await next()).assigned);
  t.deepEqual(
    asked.slice(0, 3).map(({ request }) => request.max_items),
    [1, 0, 5],
  );
  t.is(most(), 1);
  await close();
});

test("all credit counts, however much of it is given before anything comes", async (t) => {
  const given = gate();
  async function* worker() {
    yield { hello: { pool_id: "p", recipient_id: "r", credit: 1_000 } };
    for (const items of [1_000, 1_000, 1]) yield { credit: { items } };
    given.open();
    await new Promise(() => {});
  }
  let last = 0;
  const answers: Answers = async ({ request }) => {
    await given.opened;
    const wanted = request.max_items as number;
    return wanted === 0 ? undefined : { items: Array.from({ length: wanted }, () => leased(`${++last}`)) };
  };
  const { next, close } = open(t, answers, {}, undefined, worker());
  let assigned = 0;
  while (assigned < 3_001) assigned += ((await next()).assigned!.items as unknown[]).length;
  t.is(assigned, 3_001);
  await close();
});

test("a wait for lost leases that is refused is tried again: the worker still hears of them", async (t) => {
  let refused = 0;
  const { next, close } = open(t, ({ request }) => {
    if (request.max_items === 1) return { items: [leased("a")] };
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
  const answers: Answers = ({ request }) => {
    if (request.first !== 0 || request.max_items === 0) return undefined;
    if (given > limits.workHeldMax) return told;
    return { items: Array.from({ length: request.max_items as number }, () => leased(`i${given++}`)) };
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
    if (method === "queue.WorkWait") {
      if (claims++ === 0) return { items: [leased("a")] };
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
  let waits = 0;
  const { next, close, asked } = open(
    t,
    ({ method }) => {
      if (method === "QueueService.SettleBatch") return { results: [] };
      if (waits++ === 0) return { items: [leased("a")] };
      return { lost: [lost("a")], items: [leased("b")], next: 1 };
    },
    { credit: 2 },
  );
  t.truthy((await next()).assigned);
  // The worker reads no further: what came with it stays here.
  t.truthy((await next()).lease_lost);
  await close();
  const settled = asked.filter(({ method }) => method === "QueueService.SettleBatch");
  t.deepEqual(
    settled.map(({ request }) => request.settlements),
    [[released("b")]],
  );
});

test("a worker that has said its last word is given nothing more, also by the answer to that word", async (t) => {
  const settlement = (id: string) => ({ queue_item_id: id, lease_token: "token", outcome: "complete" });
  const asking = [gate(), gate()] as const;
  const heard = [gate(), gate()] as const;
  async function* worker() {
    yield { hello: { pool_id: "p", recipient_id: "r" } };
    yield { settle: { settlements: [settlement("a")] } };
    await asking[0].opened;
    yield { credit: { items: 1 } };
    yield { settle: { settlements: [settlement("b")] } };
    heard[0].open();
    await asking[1].opened;
    setImmediate(heard[1].open);
  }
  let rounds = 0;
  const answers: Answers = async ({ method, request }) => {
    if (method !== "queue.WorkRound" || isGreeting(request)) return { results: [] };
    const round = rounds++ as 0 | 1;
    asking[round].open();
    await heard[round].opened;
    const { max_items } = request.claim as { max_items: number };
    return { results: [{ index: 0, state: "completed" }], items: max_items > 0 ? [leased("c")] : [] };
  };
  const { next, asked } = open(t, answers, {}, undefined, worker());
  t.truthy((await next()).settled);
  t.truthy((await next()).settled);
  t.is((await next()) as unknown, undefined);
  t.deepEqual(
    asked
      .filter(({ request }) => !isGreeting(request))
      .map(({ method, request }) => [method, request.settlements]),
    [
      ["queue.WorkRound", [settlement("a")]],
      ["queue.WorkRound", [settlement("b")]],
      ["QueueService.SettleBatch", [released("c")]],
    ],
  );
});

test("a round that finds its queue moving is told with go_away before the stream ends", async (t) => {
  const moved = refuse("UNAVAILABLE", "the shard moved", { reason: "MOVED", retryAfterMs: 7 });
  const { next } = open(
    t,
    ({ method, request }) => (method === "queue.WorkRound" && !isGreeting(request) ? moved : undefined),
    { credit: 1 },
    Promise.resolve({ queue_item_id: "a", lease_token: "token of a", outcome: "complete" }),
  );
  t.deepEqual((await next()).go_away, { reason: "MOVED", retry_after_ms: 7 });
  await t.throwsAsync(next(), { message: /moved/ });
});

test("a stream that waits for its turn on a busy machine has as long as any other call", async (t) => {
  const since = Date.now();
  let send: (settlement: Message) => void = () => {};
  const settle = new Promise<Message>((resolve) => {
    send = resolve;
  });
  const { next, close, asked } = open(
    t,
    ({ method, request }) => {
      if (method === "queue.WorkRound") return { results: [{ index: 0, state: "completed" }] };
      return request.max_items === 1 ? { items: [leased("a")] } : undefined;
    },
    { credit: 1 },
    settle,
  );
  t.truthy((await next()).assigned);
  send({ queue_item_id: "a", lease_token: "token of a", outcome: "complete" });
  t.truthy((await next()).settled);
  const round = asked.find(({ method }) => method === "queue.WorkRound")!;
  t.true(round.deadlineMs >= since + limits.requestTimeoutMs);
  const wait = asked.find(({ method }) => method === "queue.WorkWait")!;
  t.true(wait.deadlineMs >= since + limits.claimWaitMs + limits.requestTimeoutMs);
  await close();
});

test("a worker whose recipient is set aside settles what it holds before its stream ends", async (t) => {
  let send: (settlement: Message) => void = () => {};
  const settle = new Promise<Message>((resolve) => {
    send = resolve;
  });
  const draining = refuse("FAILED_PRECONDITION", "the recipient is draining", { retryAfterMs: 1 });
  let waits = 0;
  const { next, asked } = open(
    t,
    ({ method }) => {
      if (method === "queue.WorkRound") return { results: [{ index: 0, state: "completed" }] };
      return waits++ === 0 ? { items: [leased("a")] } : draining;
    },
    { credit: 2 },
    settle,
  );
  t.truthy((await next()).assigned);
  const settled = next();
  while (waits < 4) await new Promise((resolve) => setImmediate(resolve));
  send({ queue_item_id: "a", lease_token: "token of a", outcome: "complete" });
  t.truthy((await settled).settled);
  await t.throwsAsync(next(), { message: /draining/ });
  t.true(asked.some(({ method }) => method === "queue.WorkRound"));
});

test("a lease whose settlement was too large is still held: its worker hears when it is lost", async (t) => {
  const settled = gate();
  const { next } = open(
    t,
    async ({ method, request }) => {
      if (method === "queue.WorkRound")
        return { results: [{ index: 0, error: { error_code: "PAYLOAD_TOO_LARGE", reason: "" } }] };
      if (request.max_items === 1) return { items: [leased("a")] };
      await settled.opened;
      return { lost: [lost("a")], next: 1 };
    },
    { credit: 1 },
    Promise.resolve({ queue_item_id: "a", lease_token: "token of a", outcome: "complete" }),
  );
  const frames = [await next(), await next()];
  t.truthy(frames.find((frame) => frame.assigned));
  t.truthy(frames.find((frame) => frame.settled));
  settled.open();
  t.deepEqual((await next()).lease_lost, lost("a"));
});

test("a frame that is refused is told the ids it named, and nothing that is longer than an id", async (t) => {
  async function* input() {
    yield { hello: { pool_id: "p", recipient_id: "r" } };
    const settlements = [{ queue_item_id: "a" }, { queue_item_id: "x".repeat(1_000_000) }];
    const refusal = refuse("INVALID_ARGUMENT", "no such outcome");
    yield new RefusedMessage({ settle: { settlements } }, refusal) as unknown as Message;
  }
  const { next } = open(t, () => ({}), {}, undefined, input());
  t.deepEqual((await next()).refused?.queue_item_ids, ["a"]);
});

/** The first round of a stream without credit settles nothing. */
function isGreeting({ settlements }: Message): boolean {
  return (settlements as unknown[] | undefined)?.length === 0;
}
