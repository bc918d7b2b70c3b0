import { setTimeout as sleep } from "node:timers/promises";
import test from "ava";
import { openEvents } from "../contract/support/sse-client.ts";
import { Server } from "../crash/server.ts";

const upTo = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n);
const run = "01BX5ZZKBKACTAV9WEVGEMMVRZ";
const base = `/api/workflow-streams/runs/${run}/streams`;

async function post(server: Server, path: string, body: object): Promise<Record<string, unknown>> {
  const response = await fetch(server.url + path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await response.text());
  return ((await response.json()) as { data: Record<string, unknown> }).data;
}

/** Comes back with the last id until the stream has ended, as an EventSource does. */
async function follow(server: Server, path: string, isSlow: boolean, seen: number[]): Promise<void> {
  for (;;) {
    try {
      const headers: Record<string, string> =
        seen.length === 0 ? {} : { "last-event-id": String(seen.at(-1)) };
      const reader = await openEvents(server.ports.http!, path, headers);
      if (reader.status === 204) return;
      for await (const { event, id } of reader.events()) {
        if (event === "end") return;
        if (event === "record") seen.push(Number(id));
        if (isSlow && seen.length % 50 === 0) await sleep(20);
      }
    } catch {
      // The server is away.
    }
    await sleep(500);
  }
}

test("a server killed once and stopped once: every reader ends with the exact sequence (edge cases 12, 20, 21)", async (t) => {
  const server = new Server();
  t.teardown(() => server.remove());
  await server.start();
  const { id } = await post(server, base, {
    name: "s",
    content_classes: ["json"],
    ceilings: { unread_items: 1e6 },
  });
  const path = `${base}/${id}`;
  const readers = Array.from({ length: 60 }, () => [] as number[]);
  const following = readers.map((seen, index) => follow(server, `${path}/subscribe`, index % 10 === 0, seen));
  const total = 600;
  const append = async () => {
    for (let sequence = 0; sequence < total; ) {
      const records = Array.from({ length: 5 }, (_, n) => ({
        payload: { n: sequence + n },
        producer: { id: "p", epoch: 0, sequence: sequence + n },
      }));
      try {
        const { first_sequence } = await post(server, `${path}/records`, { records });
        // A repeat of what was stored before the kill gets the sequences it had.
        t.is(first_sequence, sequence + 1);
        sequence += 5;
      } catch {
        await sleep(250);
      }
    }
  };
  const appending = append();
  for (const end of ["kill", "terminate"] as const) {
    const before = readers[1]!.length;
    while (readers[1]!.length < Math.min(before + 100, total)) await sleep(5);
    await server[end]();
    await server.start();
  }
  await appending;
  await post(server, `${path}/close`, {});
  await Promise.all(following);
  for (const seen of readers) t.deepEqual(seen, upTo(1, total));
});
