import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { WebSocket } from "ws";
import { type ContractMethod, fromPlain, toPlain } from "../../../gateway/contract/index.ts";
import type { Door, Outcome, Told } from "./clients.ts";
import { refusedStatus } from "./clients.ts";
import { callRest, toldBy } from "./rest-client.ts";

/** Streams over a WebSocket, in one of the subprotocols. */
export function socketDoor(
  name: string,
  port: number,
  protocol: "service.v1.json" | "service.v1.proto",
): Door {
  return {
    name,
    serves: () => false,
    unary: (method, message, headers) => callRest(port, method, message, headers ?? {}),
    async stream(method, messages, { headers = {}, take = Number.POSITIVE_INFINITY } = {}) {
      const frames = protocol === "service.v1.json" ? json : binary(method);
      const socket = new WebSocket(
        `ws://127.0.0.1:${port}/api/streams/${method.name.replace(".", "/")}`,
        protocol,
      );
      const answers: unknown[] = [];
      let credit = 0;
      let sent = 0;
      const pump = () => {
        for (; sent < messages.length && credit > 0; credit--) socket.send(frames.message(messages[sent++]));
        if (sent === messages.length && take === Number.POSITIVE_INFINITY) {
          sent++;
          socket.send(frames.end());
        }
      };
      return new Promise<Outcome>((resolve, reject) => {
        const done = (error?: Told) => {
          socket.close();
          const none = new Map<string, string>();
          resolve(
            error === undefined
              ? { ok: true, message: answers, headers: none }
              : { ok: false, error, headers: none },
          );
        };
        socket.on("error", reject);
        socket.on("open", () => socket.send(frames.headers(headers)));
        socket.on("message", (data: Buffer) => {
          const frame = frames.read(data);
          if ("credit" in frame) credit += frame.credit;
          else if ("message" in frame) answers.push(frame.message);
          else done("error" in frame ? frame.error : undefined);
          if (answers.length >= take) done();
          else if (socket.readyState === WebSocket.OPEN) pump();
        });
      });
    },
  };
}

type Frame =
  | { readonly credit: number }
  | { readonly message: unknown }
  | { readonly end: unknown }
  | { readonly error: Told };

const json = {
  headers: (headers: object) => JSON.stringify({ headers }),
  message: (message: unknown) => JSON.stringify({ message }),
  end: () => JSON.stringify({ end: true }),
  read(data: Buffer): Frame {
    const frame = JSON.parse(data.toString()) as Record<string, unknown>;
    return "error" in frame ? { error: toldBy(frame.error as Record<string, unknown>) } : (frame as Frame);
  },
};

function binary({ descriptor: { input, output } }: ContractMethod) {
  const framed = (kind: number, body: Uint8Array) => Buffer.concat([Buffer.from([kind]), body]);
  return {
    headers: (headers: object) => framed(0, Buffer.from(JSON.stringify(headers))),
    message: (message: unknown) => framed(1, toBinary(input, fromPlain(input, message))),
    end: () => framed(2, Buffer.alloc(0)),
    read(data: Buffer): Frame {
      const body = data.subarray(1);
      switch (data[0]) {
        case 1:
          return { message: toPlain(output, fromBinary(output, body)) };
        case 2:
          return { end: {} };
        case 3:
          return { error: refusedStatus(body) };
        case 4:
          return { credit: body.readUInt32BE() };
        default:
          throw new Error(`a frame of kind ${data[0]}`);
      }
    },
  };
}
