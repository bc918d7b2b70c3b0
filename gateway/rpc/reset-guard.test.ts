import { createServer } from "node:http2";
import { type AddressInfo, connect } from "node:net";
import test, { type ExecutionContext } from "ava";
import { limits } from "#base";
import { frame, headers, pageRequest, preface, reset, settings } from "../../test/attacks/frames.ts";
import { guardResets } from "./reset-guard.ts";

/** Opens and resets so many streams on a server that never answers; whether the connection then answers a ping or ends. */
async function afterResets(t: ExecutionContext, count: number): Promise<"answers" | "ends"> {
  const server = createServer();
  server.on("stream", (stream) => stream.on("error", () => undefined));
  server.on("session", (session) => session.on("error", () => undefined));
  guardResets(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  t.teardown(() => {
    socket.destroy();
    server.close();
  });
  const streams = Array.from({ length: count }, (_, number) => 2 * number + 1);
  const frames = streams.flatMap((stream) => [headers(stream, pageRequest("/"), true), reset(stream)]);
  // The first is read together with the resets; the connection ends after that read.
  const [first, mark] = [Buffer.from("ping one"), Buffer.from("ping two")];
  socket.write(Buffer.concat([preface, settings(), ...frames, frame("ping", { payload: first })]));
  let isAsked = false;
  return new Promise((resolve) => {
    let received = Buffer.alloc(0);
    socket.on("data", (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      if (!isAsked && received.includes(first)) {
        isAsked = true;
        socket.write(frame("ping", { payload: mark }));
      }
      if (received.includes(mark)) resolve("answers");
    });
    socket.on("error", () => undefined);
    socket.on("close", () => resolve("ends"));
  });
}

test("a client that cancels all the calls it may have at once goes on", async (t) => {
  t.is(await afterResets(t, limits.http2StreamsMax), "answers");
});

test("a client that resets more than a client may within a second is cut off", async (t) => {
  t.is(await afterResets(t, 2 * limits.http2ResetsMax - 10), "ends");
});
