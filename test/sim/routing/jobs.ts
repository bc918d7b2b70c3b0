import { decodeTuple } from "#base";
import { type Job, jobRows } from "../../../actors/kit/jobs.ts";
import { ownShape } from "../../../runtime/row-shape.ts";
import { unpackValue } from "../../../runtime/shard/codec.ts";
import { entityPartition } from "../../../runtime/shard/partition.ts";
import type { DurableEntry } from "../watch.ts";
import { at } from "./set-up.ts";
import type { KnownPool } from "./told.ts";

/** Every step of a job goes on behind the one before, and an ended job changes no more. */
export function jobProblems(durable: readonly DurableEntry[], pool: KnownPool): string[] {
  const { text } = entityPartition(at(pool, "queue"), ownShape(jobRows));
  const steps = new Map<string, Job>();
  const problems: string[] = [];
  for (const { entry } of durable)
    for (const change of entry.changes) {
      if (change.type !== "row" || change.end === 0 || change.partition.text !== text) continue;
      const id = decodeTuple(change.key)[0] as string;
      const job = unpackValue(entry.bytes.subarray(change.start, change.end), change.partition) as Job;
      const before = steps.get(id);
      if (before && before.state !== "running") problems.push(`job ${id} goes on when it is ${before.state}`);
      if (before && job.lookedAt > before.lookedAt && job.cursor <= before.cursor)
        problems.push(
          `job ${id} repeats a page: it looks again at what is behind ${before.cursor || "the start"}`,
        );
      if (before && job.total !== before.total) problems.push(`the total of job ${id} changes`);
      steps.set(id, job);
    }
  return problems;
}
