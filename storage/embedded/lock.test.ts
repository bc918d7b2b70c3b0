import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import test from "ava";
import { inFolder } from "../../test/support/embedded.ts";
import { lockFolder } from "./lock.ts";

test(
  "a process that asked for the folder and is stopped does not keep the owner from releasing it",
  inFolder(async (t, dir) => {
    const lock = await lockFolder(dir);
    const [name] = await readdir(join(dir, "lock"));
    const asker = connect({ path: join(dir, "lock", name!), allowHalfOpen: true });
    t.teardown(() => asker.destroy());
    let heard = "";
    asker.on("data", (data) => {
      heard += data;
    });
    await once(asker, "end");
    t.is(heard, "holds");
    await lock.release();
    t.deepEqual(await readdir(join(dir, "lock")), []);
  }),
);
