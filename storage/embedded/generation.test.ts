import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import test from "ava";
import { StorageError, startStorage, verifyData } from "#storage";
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

test(
  "a folder of data format 1 is refused by a start and by verify, which name both formats",
  inFolder(async (t, dir) => {
    const path = join(dir, "generation");
    const slot = Buffer.alloc(8_192);
    slot.write("SYGENER1");
    await writeFile(path, Buffer.concat([slot, slot]));
    const message = /generation: the folder has data format 1, this build reads format 2/;
    await t.throwsAsync(startStorage({ engine: "embedded", dir }), { instanceOf: StorageError, message });
    await t.throwsAsync(verifyData({ engine: "embedded", dir }), { instanceOf: StorageError, message });
  }),
);
