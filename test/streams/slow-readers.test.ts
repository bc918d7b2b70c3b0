import { connect } from "node:net";
import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { Client, credentials } from "@grpc/grpc-js";
import { WebSocket } from "ws";
import { fromPlain, toPlain } from "../../gateway/contract/index.ts";
import { probeContract, type TestService } from "../contract/support/service.ts";
import { eventually } from "../support/eventually.ts";
import type { Answer } from "./door-stream.ts";
import { adapters, newStream, test, upTo } from "./support.ts";

const subscribe = probeContract.byName.get("WorkflowStreamService.Subscribe")!;

interface Subscription {
  resume(): void;
  close(): void;
}

/** Starts without reading; `told` and `over` are called when it reads. */
type Open = (
  ports: TestService["ports"],
  request: object,
  on: { readonly told: (answer: Answer) => void; readonly over: () => void },
) => Promise<Subscription>;

function socketOn(adapter: "uws" | "node"): Open {
  return (ports, message, { told, over }) =>
    new Promise((resolve) => {
      const url = `ws://127.0.0.1:${ports[adapter]}/api/streams/WorkflowStreamService/Subscribe`;
      const socket = new WebSocket(url, "service.v1.json");
      socket.on("message", (data: Buffer) => {
        const frame = JSON.parse(data.toString()) as { message?: Answer };
        if (frame.message) told(frame.message);
      });
      socket.on("close", over);
      socket.on("error", () => undefined);
      socket.on("open", () => {
        socket.send(JSON.stringify({ headers: {} }));
        socket.send(JSON.stringify({ message }), () => {
          socket.pause();
          resolve({ resume: () => socket.resume(), close: () => socket.terminate() });
        });
      });
    });
}

const grpc: Open = async (ports, message, { told, over }) => {
  const { input, output } = subscribe.descriptor;
  const client = new Client(`127.0.0.1:${ports.grpc}`, credentials.createInsecure());
  const call = client.makeServerStreamRequest<object, Answer>(
    subscribe.path,
    (plain) => Buffer.from(toBinary(input, fromPlain(input, plain))),
    (bytes) => toPlain(output, fromBinary(output, bytes)) as Answer,
    message,
  );
  call.on("data", told);
  call.on("error", over);
  call.on("end", over);
  call.pause();
  return { resume: () => call.resume(), close: () => client.close() };
};

const doors = {
  "a WebSocket on uWebSockets.js": socketOn("uws"),
  "a WebSocket on node:http": socketOn("node"),
};

for (const [door, open] of Object.entries({ ...doors, gRPC: grpc }))
  test.serial(
    `edge case 9: a reader over ${door} that does not read while retention passes it is told "gone" when it reads`,
    async (t) => {
      const { path, runId, id, call, append } = await newStream(t, "uws", { retention: { max_records: 20 } });
      await append();
      const sequences: number[] = [];
      let gone: Record<string, unknown> | undefined;
      let isOver = false;
      const begin = (after_sequence: number) => {
        isOver = false;
        const request = { run_id: runId, stream_id: id, after_sequence, gone: "event" };
        return open(t.context.service.ports, request, {
          told: (answer) => {
            if (answer.record) sequences.push(answer.record.sequence);
            if (answer.gone) gone = answer.gone;
          },
          over: () => {
            isOver = true;
          },
        });
      };
      let reader = await begin(0);
      // Far more than sockets and the records in memory hold.
      const payload = "x".repeat(60_000);
      for (let n = 0; n < 12; n++) t.is((await append(10, payload)).status, 200);
      await eventually("the low watermark has moved", async () => {
        const { data } = await call("GET", path);
        return data.earliest_sequence === 102 || undefined;
      });
      reader.resume();
      await eventually("the reader is told", async () => {
        // If this took longer than a client may be silent, the client was cut off and comes back.
        if (gone === undefined && isOver) {
          reader.close();
          reader = await begin(sequences.at(-1) ?? 0);
          reader.resume();
        }
        return gone;
      });
      reader.close();
      t.like(gone, {
        requested_sequence: sequences.length + 1,
        earliest_sequence: 102,
        latest_sequence: 121,
        resync_reason: "retention",
      });
      t.deepEqual(sequences, upTo(1, sequences.length));
      t.true(sequences.length < 101);
    },
  );

for (const adapter of adapters)
  test.serial(
    `${adapter}: a reader of events that reads nothing for a while reads on where it was`,
    async (t) => {
      const { path, port, call, append } = await newStream(t, adapter);
      const payload = "x".repeat(60_000);
      // Far more than the sockets hold.
      for (let n = 0; n < 20; n++) t.is((await append(10, payload)).status, 200);
      await call("POST", `${path}/close`, {});
      const socket = connect(port, "127.0.0.1");
      t.teardown(() => socket.destroy());
      socket.write(`GET ${path}/subscribe HTTP/1.1\r\nHost: localhost\r\n\r\n`);
      // uWebSockets.js by itself closes after 10 s, which it looks for every 4 s; the promise is 30 s.
      await new Promise((resolve) => setTimeout(resolve, 16_000));
      let text = "";
      for await (const chunk of socket) {
        text += (chunk as Buffer).toString("latin1").replaceAll(/x{2,}/g, "");
        if (text.includes("event: end")) break;
      }
      t.deepEqual(
        [...text.matchAll(/\nid: (\d+)/g)].map(([, id]) => Number(id)),
        upTo(1, 200),
      );
    },
  );
