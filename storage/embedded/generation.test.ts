import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import test from "ava";
import { inFolder } from "../../test/support/embedded.ts";
import { createGeneration, readGeneration, writeGeneration } from "./generation.ts";

test(
  "a write after one that failed is over the older slot: torn, it leaves the newer",
  inFolder(async (t, dir) => {
    const path = join(dir, "generation");
    const made = await createGeneration(path);
    made.number = 1;
    await writeGeneration(path, made);
    const { generation } = await readGeneration(path);
    generation.number = 2;
    await t.throwsAsync(writeGeneration(join(dir, "none", "generation"), generation), { code: "ENOENT" });
    const before = await readFile(path);
    generation.number = 3;
    await writeGeneration(path, generation);
    const after = await readFile(path);
    const half = after.findIndex((byte, i) => byte !== before[i]) + 1;
    await writeFile(path, Buffer.concat([after.subarray(0, half), before.subarray(half)]));
    t.like(await readGeneration(path), { generation: { number: 1 }, spoiledSlots: 1 });
  }),
);
