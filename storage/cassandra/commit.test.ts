import test from "ava";
import { StorageError } from "../error.ts";
import { commit } from "./commit.ts";
import type { Session } from "./session.ts";

const ours = "a0000000-0000-4000-8000-000000000000";
const theirs = "b0000000-0000-4000-8000-000000000000";

for (const [what, head, holder, kind] of [
  ["the head is before the batch", 6, null, "fenced"],
  ["the new owner has its own batch there", 8, { first_seq: 7, batch_epoch: 4 }, "fenced"],
  [
    "our batch is there: it was applied before the other took the shard",
    8,
    { first_seq: 7, batch_epoch: 3 },
    "unknown",
  ],
  ["the journal there is trimmed", 20, null, "unknown"],
  ["what is there cannot be read", 8, new Error("no answer"), "unknown"],
] as const)
  test(`a commit is refused because another owner has the shard; ${what}: ${kind}`, async (t) => {
    const session = {
      conditional: async () => ({
        applied: false,
        row: { epoch: 4, owner: theirs, head, view: 1, trimmed: 0 },
      }),
      serial: async () => {
        if (holder instanceof Error) throw holder;
        return { first: () => holder };
      },
    } as unknown as Session;
    const handle = { shard: 1, granted: 3, owner: ours, epoch: 3, head: 6, trimmed: 0, lost: undefined };
    const batch = { shard: 1, epoch: 3, firstSeq: 7, entries: [Buffer.from("entry")] };
    const error = await t.throwsAsync(commit(session, handle, batch), { instanceOf: StorageError });
    t.is(error?.kind, kind);
    t.not(handle.lost, undefined);
  });
