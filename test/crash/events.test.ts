/** The full size is run by hand: `EVENT_READERS=500 npx ava test/crash/events.test.ts`. */
import { setTimeout as sleep } from "node:timers/promises";
import test from "ava";
import { openEvents } from "../contract/support/sse-client.ts";
import { eventually } from "../support/eventually.ts";
import { Server } from "./server.ts";

/** Generous: on a busy machine a thread that is not run is not stuck. */
const patient = ["server.stuck_after=240s"];
const readerCount = Number(process.env.EVENT_READERS ?? 100);
const total = 200;

interface Reader {
  readonly names: Set<string>;
  cursor: string;
  close: () => void;
}

/** Reconnects with the last cursor, as an EventSource does, until it is told to stop. */
async function follow(
  server: Server,
  reader: Reader,
  { stalls, stop }: { readonly stalls: Promise<void> | undefined; readonly stop: AbortSignal },
): Promise<void> {
  let isStalled = false;
  while (!stop.aborted) {
    try {
      const headers: Record<string, string> = reader.cursor === "" ? {} : { "last-event-id": reader.cursor };
      const path = "/api/events/subscribe?kinds=pool.created";
      const events = await openEvents(server.ports.http!, path, headers);
      const { response } = events;
      reader.close = () => response.destroy();
      for await (const { event, id, data } of events.events()) {
        if (id !== undefined && id !== "") reader.cursor = id;
        if (event === "pool.created") reader.names.add(JSON.parse(data!).payload.name);
        if (stalls === undefined || isStalled || reader.names.size < 10) continue;
        isStalled = true;
        response.pause();
        await stalls;
        response.resume();
      }
    } catch {
      // The server is down.
    }
    await sleep(250);
  }
}

test(`given ${readerCount} readers of events, every tenth stalled, when the server is killed and started, then each sees every event at least once`, async (t) => {
  const server = new Server(patient);
  t.teardown(() => server.remove());
  await server.start();
  const stop = new AbortController();
  let wake = () => {};
  const stalled = new Promise<void>((resolve) => {
    wake = resolve;
  });
  const readers = Array.from(
    { length: readerCount },
    (): Reader => ({ names: new Set(), cursor: "", close: () => {} }),
  );
  const following = readers.map((reader, index) =>
    follow(server, reader, { stalls: index % 10 === 0 ? stalled : undefined, stop: stop.signal }),
  );
  /** A name says which pool it is: the answer of a create may be lost with the server. */
  const create = async (name: string) => {
    for (;;)
      try {
        const response = await fetch(`${server.url}/api/pools`, {
          method: "POST",
          headers: { "content-type": "application/json", "idempotency-key": name },
          body: JSON.stringify({ name }),
        });
        if (response.ok) return;
        await sleep(100);
      } catch {
        await sleep(250);
      }
  };
  let first = 0;
  await eventually("all readers have a cursor", async () => {
    await create(`before-${first++}`);
    return readers.every(({ cursor }) => cursor !== "") || undefined;
  });
  const names = Array.from({ length: total }, (_, n) => `pool-${n}`);
  let created = 0;
  const creating = (async () => {
    for (const name of names) {
      await create(name);
      created++;
    }
  })();
  for (const share of [0.25, 0.6]) {
    await eventually("some are created", () => created >= total * share || undefined);
    await server.kill();
    await server.start();
  }
  await creating;
  wake();
  await eventually("all readers have all of them", () => {
    const late = readers.filter(({ names: seen }) => names.some((name) => !seen.has(name)));
    return late.length === 0 || undefined;
  });
  stop.abort();
  for (const { close } of readers) close();
  await Promise.all(following);
  t.pass();
});
