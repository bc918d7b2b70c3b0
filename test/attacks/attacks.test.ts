import test from "ava";
import { Server } from "../crash/server.ts";
import { eventually } from "../support/eventually.ts";
import { AttackProcess } from "./attack-process.ts";
import { http1Attacks } from "./http1.ts";
import { http2Attacks } from "./http2.ts";
import { measure, memoryOf } from "./measure.ts";
import { Probe } from "./probe.ts";

/** What others may wait on a quiet machine. */
const waitMsMax = 1_000;
/** What an attack may take of memory while it lasts, and what may be left of it. Garbage is collected later. */
const peakBytesMax = 400e6;
const leftBytesMax = 300e6;

for (const httpServer of ["uws", "node"]) {
  const server = new Server([
    `server.http_server=${httpServer}`,
    "server.workers=2",
    // A thread that is stuck shows by how long others wait; it is not to be ended because this machine is busy.
    "server.stuck_after=60s",
  ]);
  const probe = new Probe();
  const attacks = new AttackProcess();

  test.serial.before(`${httpServer}: a service and those who ask it`, async () => {
    await server.start();
    await probe.watch(server.ports);
    // Until all of them have asked once, and what is made at first is made.
    await probe.settled();
  });
  test.after.always(`${httpServer}: all of them are gone`, async () => {
    probe.end();
    attacks.end();
    await server.remove();
  });

  for (const attack of [...http1Attacks, ...http2Attacks])
    for (const listener of attack.listeners) {
      // The other listeners are the same with both.
      if (httpServer === "node" && listener !== "http") continue;
      test.serial(
        `${httpServer}, ${listener}: ${attack.name}: the service goes on, others hardly wait, and memory comes back`,
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
