import type { BenchService } from "./service.ts";

const run = "01BX5ZZKBKACTAV9WEVGEMMVRZ";

/** Creates a stream whose ceilings of unread records are never reached; returns its path. */
export async function newDataStream({ ports }: BenchService): Promise<string> {
  const base = `/api/workflow-streams/runs/${run}/streams`;
  const ceilings = { unread_items: 1e9, unread_bytes: 1e12 };
  const response = await fetch(`http://127.0.0.1:${ports.http}${base}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: "bench", content_classes: ["json"], ceilings }),
  });
  const { data } = (await response.json()) as { data?: { id: string } };
  if (!data) throw new Error(`no stream: ${response.status}`);
  return `${base}/${data.id}`;
}

/** The body of an append of this many records. */
export function recordsOf(count: number, payload: string): string {
  return JSON.stringify({ records: Array.from({ length: count }, () => ({ payload })) });
}
