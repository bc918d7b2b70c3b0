import type { Process } from "./process.ts";

/** What a process holds, or counts as held, for callers and reads under way. */
export function heldBy({ thread, owner }: Process): string[] {
  const { mailboxes, parking } = thread;
  const held: [what: string, count: number][] = [
    ["requests", mailboxes.depth],
    ["bytes of requests", mailboxes.bytes],
    ["parked commands", parking.count],
    ["bytes of parked commands", parking.bytes],
    ["effects that wait", thread.effects.waiting],
  ];
  for (const { number, commit, outbox, buffer, waiting } of thread.shards.values())
    held.push(
      [`answers of shard ${number}`, commit.gatedCount],
      [`bytes of answers of shard ${number}`, commit.gatedBytes],
      [`callers that wait for messages of shard ${number}`, outbox.awaited],
      [`stored layers of shard ${number}`, buffer.layerCount - 1],
      [`waiting cells of shard ${number}`, waiting.length],
    );
  return held
    .filter(([, count]) => count !== 0)
    .map(([what, count]) => `${owner.name} holds ${count} ${what}`);
}
