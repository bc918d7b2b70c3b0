import { connect } from "node:net";
import test from "ava";
import {
  flags,
  frame,
  grpcRequest,
  headers,
  messageHead,
  preface,
  reset,
  settings,
} from "../attacks/frames.ts";
import { eventually } from "../support/eventually.ts";
import { probeContract, startTestService } from "./support/service.ts";

const poll = probeContract.methods.find(({ name }) => name === "ProbeService.Poll")!.path;

for (const door of ["grpc", "native"] as const)
  test(`given calls that are reset in the same read that opens them, only the call that is not reset does any work: ${door}`, async (t) => {
    const ended: string[] = [];
    const service = await startTestService({
      telemetry: { callEnded: (_call, { code }) => ended.push(code) },
    });
    const socket = connect(service.ports[door], "127.0.0.1").resume();
    t.teardown(async () => {
      socket.destroy();
      await service.close();
    });
    const call = (stream: number) =>
      Buffer.concat([
        headers(stream, grpcRequest(poll), false),
        frame("data", { stream, payload: messageHead(0), flags: flags.endStream }),
      ]);
    const resetAtOnce = Array.from({ length: 50 }, (_, number) => 2 * number + 1);
    socket.write(
      Buffer.concat([
        preface,
        settings(),
        ...resetAtOnce.flatMap((stream) => [call(stream), reset(stream)]),
        call(101),
      ]),
    );
    await eventually("the call that stays is over", () => ended.includes("OK") || undefined);
    t.deepEqual(ended, ["OK"]);
  });
