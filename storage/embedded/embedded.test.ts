import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { attachStorage, startStorage } from "#storage";
import type { MakeEngine } from "../engine.cases.ts";
import { journalCases } from "../journal.cases.ts";
import { objectsCases } from "../objects.cases.ts";
import { tablesCases } from "../tables.cases.ts";

const dir = await mkdtemp(join(tmpdir(), "switchyard.embedded-"));
const host = await startStorage({ engine: "embedded", dir });
let shards = 0;
let bootstraps = 0;

const makeEngine: MakeEngine = async () => ({
  attach: () => attachStorage(host.bootstrap(bootstraps++).data),
  newShard: () => shards++,
  close: async () => {},
});

test.after.always("the folder is removed", async () => {
  await host.close();
  await rm(dir, { recursive: true });
});

journalCases(test, makeEngine);
tablesCases(test, makeEngine);
objectsCases(test, makeEngine);
