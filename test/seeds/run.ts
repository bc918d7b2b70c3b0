// Does any of the 2³² seeds of version 0.1 generate a value that a caller of the present service sees?  npm run seeds
//
// Starts the service, creates resources as a caller does, and tries every seed on their ids and lease tokens. One id
// that an old seed generates is added on purpose: a search that does not find it proves nothing. Exits with 1 unless
// that id is the only hit.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newUlid, Random } from "#base";
import { type Message, startService } from "../golden/service.ts";
import { type Hit, type Seen, search } from "./search.ts";
import { seenId, seenToken } from "./seen.ts";

const seeds = 2 ** 32;
const step = 2 ** 26;
const pools = 8;

const planted = Math.floor(Math.random() * seeds);
const seen = [...(await seenByCaller()), seenId("planted", newUlid(Date.now(), new Random(planted)))];
console.log(`${seen.length} values, one of them planted; ${seeds} seeds`);
const began = Date.now();
const hits: Hit[] = [];
for (let from = 0; from < seeds; from += step) {
  hits.push(...search(seen, from, from + step));
  if ((from / step) % 8 === 7)
    console.log(`${from + step} seeds, ${Math.round((Date.now() - began) / 1_000)} s, hits: ${hits.length}`);
}
const others = hits.filter(({ name, seed }) => name !== "planted" || seed !== planted);
console.log(
  `planted id: ${hits.length > others.length ? "found" : "NOT FOUND"}; other hits: ${others.length}`,
);
for (const hit of others) console.log(hit);
process.exitCode = hits.length === 1 && others.length === 0 ? 0 : 1;

/** Ids of pools that the tenant's first commands create, and lease tokens. */
async function seenByCaller(): Promise<Seen[]> {
  const dir = mkdtempSync(join(tmpdir(), "seeds-"));
  const service = await startService(["dist/cli/service.js"], dir);
  try {
    const values: Seen[] = [];
    for (let n = 0; n < pools; n++) {
      const pool = await service.call("POST", "/api/pools", { name: `pool ${n}` });
      values.push(seenId(`pool ${n}`, pool.id as string));
      const recipient = await service.call("POST", `/api/pools/${pool.id}/recipients`, { name: "ada" });
      await service.call("POST", `/api/queues/${pool.id}/items`, { key: "a" });
      const claimed = await service.call("POST", `/api/queues/${pool.id}/items:claim`, {
        recipient_id: recipient.id,
      });
      const [leased] = claimed.items as Message[];
      values.push(seenToken(`lease token ${n}`, leased!.lease_token as string));
    }
    return values;
  } finally {
    await service.end("SIGTERM");
    rmSync(dir, { recursive: true, force: true });
  }
}
