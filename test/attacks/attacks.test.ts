import test from "ava";
import { Server } from "../crash/server.ts";
import { eventually } from "../support/eventually.ts";
import { AttackProcess } from "./attack-process.ts";
import { http1Attacks } from "./http1.ts";
import { http2Attacks } from "./http2.ts";
import { measure, memoryOf } from "./measure.ts";
import { Probe } from "./probe.ts";

/** The longest wait allowed to other callers on a quiet machine. */
const waitMsMax = 1_000;
/** Memory that an attack may use while it lasts, and that may be left afterwards; garbage is collected later. */
const peakBytesMax = 400e6;
const leftBytesMax = 300e6;

for (const httpServer of ["uws", "node"]) {
  const server = new Server([
    `server.http_server=${httpServer}`,
    "server.workers=2",
    // Longer than the default: a stuck thread shows as a long wait, and a busy machine must not end the service.
    "server.stuck_after=60s",
  ]);
  const probe = new Probe();
  const attacks = new AttackProcess();

  test.serial.before(`${httpServer}: the service and its probes start`, async () => {
    await server.start();
    await probe.watch(server.ports);
    // Waits until every probe has answered once, so that one-time allocations are done.
    await probe.settled();
  });
  test.after.always(`${httpServer}: the service and its probes end`, async () => {
    probe.end();
    attacks.end();
    await server.remove();
  });

  for (const attack of [...http1Attacks, ...http2Attacks])
    for (const listener of attack.listeners) {
      // The other listeners do not depend on the HTTP server.
      if (httpServer === "node" && listener !== "http") continue;
      test.serial(
        `${httpServer}, ${listener}: ${attack.name}: the service goes on, other callers wait little, and memory is freed`,
        async (t) => {
          const pid = server.pid;
          const lastsMs = attack.testedMs ?? 300;
          const measured = await measure({ server, probe, attacks }, attack, { listener, lastsMs });
          t.is(server.ended, null, server.log);
          t.is(server.pid, pid);
          t.notRegex(server.log, /a worker/);
          t.deepEqual(measured.waits.failures, []);
          const machineMs = measured.notRunMs + measured.yardstickMs;
          t.true(measured.worstWaitMs < waitMsMax + machineMs, JSON.stringify(measured));
          t.true(measured.peakBytes < measured.beforeBytes + peakBytesMax, JSON.stringify(measured));
          await eventually(
            "memory is back",
            () => memoryOf(pid) < measured.beforeBytes + leftBytesMax || undefined,
          );
        },
      );
    }
}
