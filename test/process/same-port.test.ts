import test from "ava";
import { freePort } from "../support/free-port.ts";
import { startDev } from "./support.ts";

for (const server of ["uws", "node"])
  test.serial(
    `${server}: given two services with one HTTP address, when they start at the same moment, then one serves and the other ends with an error that names it`,
    async (t) => {
      const port = await freePort();
      const address = `server.http_addr=127.0.0.1:${port}`;
      const args = ["--set", address, "--set", "server.workers=2", "--set", `server.http_server=${server}`];
      const both = await Promise.allSettled([startDev(t, args), startDev(t, args)]);
      const failures = both.filter((one) => one.status === "rejected").map(({ reason }) => String(reason));
      t.is(failures.length, 1, failures.join("\n"));
      t.regex(
        failures[0]!,
        /ended with 1: service: cannot start: server\.http_addr: 127\.0\.0\.1:[0-9]+ is in use/,
      );
      const { status } = await fetch(`http://127.0.0.1:${port}/health`);
      t.is(status, 200);
    },
  );
