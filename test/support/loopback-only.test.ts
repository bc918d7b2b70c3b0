import { spawnSync } from "node:child_process";
import { lookup, resolve4 } from "node:dns/promises";
import test from "ava";
import { needing } from "./needing.ts";

test("a test resolves names of this machine only, and asks no server for another", async (t) => {
  t.is((await lookup("localhost", { family: 4 })).address, "127.0.0.1");
  t.is((await lookup("0x7f.1")).address, "127.0.0.1");
  for (const name of ["no-such-host.invalid", "example.com"])
    await t.throwsAsync(lookup(name), { code: "ENOTFOUND" }, name);
  await t.throwsAsync(resolve4("localhost"), { code: "ENOTFOUND" });
});

/** Where no packet can leave, should the process not be ended. */
needing(test, "namespaces")(
  "given a process that a test starts, when it or its worker calls an address beyond this machine, then it is ended before a packet leaves",
  (t) => {
    for (const address of ["10.0.0.1", "169.254.169.254", "::ffff:8.8.8.8", "2001:db8::1"]) {
      const call = `import("node:net").then((net) => net.connect(9, "${address}").on("error", () => process.exit(3)))`;
      const inWorker = `new (require("node:worker_threads").Worker)(new URL("data:text/javascript,${encodeURIComponent(call)}"))`;
      for (const text of [call, inWorker]) {
        const { signal, stderr } = spawnSync("unshare", ["--net", process.execPath, "-e", text], {
          encoding: "utf8",
        });
        t.is(signal, "SIGKILL", `${text}\n${stderr}`);
        t.regex(stderr, /a test called .*: tests send nothing beyond this machine/);
      }
    }
  },
);
