import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import test from "ava";
import { StorageError, startStorage, verifyData } from "#storage";
import { inFolder } from "../../test/support/embedded.ts";
import { createGeneration, readGeneration, writeGeneration } from "./generation.ts";

test(
  "a write after a failed one overwrites the older slot: if it is torn, the newer slot is intact",
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

for (const slot of [0, 1])
  test(
    `slot ${slot} has a later data format: start and verify refuse the folder and change nothing`,
    inFolder(async (t, dir) => {
      const path = join(dir, "generation");
      const bytes = Buffer.alloc(131_072);
      bytes.write("SYGENER2", slot * 65_536);
      await writeFile(path, bytes);
      const message = /generation: the folder has data format 2, this build reads formats up to 1/;
      await t.throwsAsync(startStorage({ engine: "embedded", dir }), { instanceOf: StorageError, message });
      await t.throwsAsync(verifyData({ engine: "embedded", dir }), { instanceOf: StorageError, message });
      t.deepEqual(await readFile(path), bytes);
    }),
  );
