import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from "node:http2";
import test, { type ExecutionContext } from "ava";
import { HeldBytes } from "../../gateway/http/bounds.ts";
import { grpcRequest, messageHead } from "../attacks/frames.ts";
import { eventually } from "../support/eventually.ts";
import { probeContract, startTestService } from "./support/service.ts";

const doors = ["grpc", "native"] as const;
const contentBytes = 100_000;
const download = probeContract.methods.find(({ name }) => name === "ProbeService.Download")!.path;

/** `window`: bytes of each answer that the server may send before the client acknowledges reading. */
function session(t: ExecutionContext, port: number, window: number): ClientHttp2Session {
  const opened = connect(`http://127.0.0.1:${port}`, { settings: { initialWindowSize: window } });
  opened.on("error", () => undefined);
  t.teardown(() => opened.destroy());
  return opened;
}

interface Asked {
  readonly stream: ClientHttp2Stream;
  /** The headers of the answer have arrived: they are sent whatever the window is. */
  isAnswered: boolean;
}

/** Asks for an answer of `contentBytes`. */
function ask(from: ClientHttp2Session): Asked {
  const stream = from.request(grpcRequest(download));
  const asked: Asked = { stream, isAnswered: false };
  stream.on("error", () => undefined);
  stream.on("response", () => {
    asked.isAnswered = true;
  });
  const content = Buffer.concat([Buffer.from([0x1a, 0xa0, 0x8d, 0x06]), Buffer.alloc(contentBytes, "x")]);
  stream.end(Buffer.concat([messageHead(content.length), content]));
  return asked;
}

async function pinged(one: ClientHttp2Session): Promise<void> {
  await new Promise<void>((resolve) => one.ping(() => resolve()));
}

for (const door of doors) {
  test(`given a connection with too many unread bytes, its next request waits until it has read them: ${door}`, async (t) => {
    const answers = new HeldBytes(100 * contentBytes);
    const service = await startTestService({ bounds: { answers, connectionUnreadMax: contentBytes / 2 } });
    t.teardown(() => service.close());
    const client = session(t, service.ports[door], 0);
    const first = ask(client);
    await eventually("the first is answered", () => first.isAnswered || undefined);
    await eventually("its answer is counted", () => answers.bytes >= contentBytes || undefined);
    const second = ask(client);
    const cancelled = ask(client);
    // Another connection is not affected; by the time it has its answer, the second request would have had one too.
    const other = ask(session(t, service.ports[door], 1_000_000));
    other.stream.resume();
    await eventually("another connection is answered", () => other.isAnswered || undefined);
    await pinged(client);
    t.false(second.isAnswered);
    cancelled.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
    await pinged(client);

    client.settings({ initialWindowSize: 1_000_000 });
    first.stream.resume();
    second.stream.resume();
    await eventually("the second is answered", () => second.isAnswered || undefined);
    await eventually("nothing is unread", () => answers.bytes === 0 || undefined);
    t.false(cancelled.isAnswered);
  });

  test(`given a thread full of unread answers, only the next request of a connection with unread answers is closed: ${door}`, async (t) => {
    const answers = new HeldBytes(contentBytes / 2);
    const service = await startTestService({ bounds: { answers } });
    t.teardown(() => service.close());
    const client = session(t, service.ports[door], 0);
    const first = ask(client);
    await eventually("the first answer is counted", () => answers.bytes >= contentBytes || undefined);
    const next = ask(client);
    await eventually("the next is closed", () => next.stream.closed || undefined);
    t.false(first.stream.closed);
    t.true(answers.bytes < 2 * contentBytes);

    const other = ask(session(t, service.ports[door], 1_000_000));
    let bytes = 0;
    for await (const piece of other.stream) bytes += (piece as Buffer).length;
    t.true(bytes > contentBytes);

    client.destroy();
    await eventually("nothing is unread", () => answers.bytes === 0 || undefined);
  });
}
