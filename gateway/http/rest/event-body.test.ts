import { mock } from "node:test";
import test from "ava";
import { limits, RefusalError, refuse } from "#base";
import { EventBody } from "./event-body.ts";
import { heartbeats } from "./heartbeats.ts";

const writer = { write: (answer: object) => Buffer.from(JSON.stringify(answer)), isLast: () => false };
const parts = {
  writer,
  problemOf: ({ code }: { code: string }) => ({ errorCode: code }),
  refusalOf: (thrown: unknown) => (thrown as RefusalError).refusal,
};

test.serial(
  "a silent stream opens after a while and then says something every 15 s, with one timer for all",
  async (t) => {
    mock.timers.enable({ apis: ["setInterval"] });
    t.teardown(() => mock.timers.reset());
    let left = 0;
    const silent = {
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise<never>(() => {}),
        return: async () => {
          left++;
          return { done: true as const, value: undefined };
        },
      }),
    };
    const bodies = [1, 2, 3].map(() => new EventBody(silent, parts));
    const openings: unknown[] = [];
    for (const body of bodies) body.open((opening) => openings.push(opening));
    mock.timers.tick(limits.sseHeartbeatMs - 1);
    t.is(openings.length, 0);
    mock.timers.tick(1);
    t.deepEqual(openings, Array(3).fill({ isLast: false }));
    const [body] = bodies;
    t.regex(String((await body!.next()).value), /^retry: \d+\n\n$/);
    for (let n = 0; n < 3; n++) {
      const waiting = body!.next();
      mock.timers.tick(limits.sseHeartbeatMs);
      t.is(String((await waiting).value), ":\n\n");
    }
    const waiting = body!.next();
    for (const one of bodies) await one.return();
    t.true((await waiting).done);
    t.is(left, 3);
  },
);

test.serial(
  "an error before the first event opens nothing; one after it is an event, and the end",
  async (t) => {
    const failing = async function* (answers: number) {
      for (let n = 0; n < answers; n++) yield { n };
      throw new RefusalError(refuse("UNAVAILABLE", "draining"));
    };
    const openingOf = (body: EventBody) => new Promise((resolve) => body.open(resolve));
    t.like(await openingOf(new EventBody(failing(0), parts)), { refusal: { code: "UNAVAILABLE" } });
    const body = new EventBody(failing(1), parts);
    t.deepEqual(await openingOf(body), { isLast: false });
    const texts: string[] = [];
    for await (const bytes of body) texts.push(String(bytes));
    t.deepEqual(texts.slice(1), ['{"n":0}', 'event: error\ndata: {"errorCode":"UNAVAILABLE"}\n\n']);
  },
);

test.serial(
  "edge case 25: 10,000 idle subscribers have one timer, and each of them a heartbeat every 15 s",
  (t) => {
    mock.timers.enable({ apis: ["setInterval"] });
    t.teardown(() => mock.timers.reset());
    const set = mock.method(globalThis, "setInterval");
    const subscribers = 10_000;
    const beats = new Uint32Array(subscribers);
    const ends: (() => void)[] = [];
    for (let n = 0; n < subscribers; n++) {
      ends.push(heartbeats.add(() => beats[n]!++));
      if (n % 1_000 === 999) mock.timers.tick(1_000);
    }
    t.is(set.mock.callCount(), 1);
    mock.timers.tick(limits.sseHeartbeatMs * 4);
    t.true(beats.every((count) => count === 4 || count === 5));
    for (const end of ends) end();
    const before = beats.slice();
    mock.timers.tick(limits.sseHeartbeatMs * 2);
    t.deepEqual(beats, before);
  },
);
