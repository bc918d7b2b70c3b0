import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import test from "ava";

test("the binary for Node 20 on Linux x64 is the one its authors published as v20.41.0", (t) => {
  const file = new URL("../../node_modules/uWebSockets.js/uws_linux_x64_115.node", import.meta.url);
  const bytes = readFileSync(file);
  const blob = createHash("sha1").update(`blob ${bytes.byteLength}\0`).update(bytes).digest("hex");
  t.is(blob, "168adfd82c04f7e63f179e036585735091ed9a64");
});
