import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { ConnectError } from "@connectrpc/connect";
import { limits, type Refusal } from "#base";
import { createInvoke } from "../../../gateway/calls/invoke.ts";
import { fromPlain } from "../../../gateway/contract/index.ts";
import { rolesOf } from "../../../gateway/contract/roles.ts";
import { connectErrorOf } from "../../../gateway/errors/connect.ts";
import { listenNode } from "../../../gateway/http/node.ts";
import type { HttpRequest, HttpServer } from "../../../gateway/http/server.ts";
import { listenUws } from "../../../gateway/http/uws.ts";
import { createRpcHandler } from "../../../gateway/rpc/http.ts";
import { listenNative } from "../../../gateway/rpc/native.ts";
import { askerOf } from "../../support/asker.ts";
import { testBounds } from "../../support/bounds.ts";
import { quietTelemetry, testSettings } from "../support/parts.ts";
import { conformanceHandlers, type WantedError } from "./handlers.ts";
import { conformanceMethods, conformanceRegistry } from "./methods.ts";

/**
 * The server under test: reads its settings from stdin, writes its address to stdout, and serves the suite's service
 * through our handlers and our `invoke`. Argument: uws, node or native.
 */
const requests = new WeakMap<object, HttpRequest>();
const wish = await readWish();
// Exits at once: the runner waits for this process, and an open connection of a client must not delay it.
process.on("SIGTERM", () => process.exit(0));
await answerWish(await listen());

async function listen(): Promise<HttpServer> {
  const invoker = createInvoke({
    contract: { methods: conformanceMethods, roles: rolesOf([]) },
    plane: "external",
    asker: askerOf(() => Promise.reject(new Error("nobody to ask"))),
    modules: [],
    handlers: conformanceHandlers((call) => requests.get(call.headers)!),
    providers: {},
    settings: testSettings,
    telemetry: quietTelemetry,
  });
  const rpc = createRpcHandler({
    invoker,
    registry: conformanceRegistry,
    messageBytesMax: wish.messageReceiveLimit || limits.bodyBytesMax,
    bounds: testBounds(),
    nativeAddresses: ":50051 and :50052",
    errorsUrl: "/docs/errors",
    connectErrorOf: wantedErrorOf,
  });
  const options = {
    host: "127.0.0.1",
    port: 0,
    bounds: testBounds(),
    bodyBytesMax: limits.bodyBytesMax,
    bodyTimeoutMs: 10_000,
    handler: (request: HttpRequest) => {
      requests.set(request.headers, request);
      return rpc.handle(request) ?? { status: 404, headers: [] };
    },
    refuse: (refusal: Refusal) => ({ status: 400, headers: [], body: JSON.stringify(refusal) }),
    onError: (error: unknown) => console.error(error),
  };
  switch (process.argv[2]) {
    case "uws":
      return listenUws(options);
    case "node":
      return listenNode(options);
    default:
      return listenNative({
        ...options,
        ...(wish.useTls
          ? {
              tls: {
                key: Buffer.from(wish.serverCreds!.key),
                cert: Buffer.from(wish.serverCreds!.cert),
                ...(wish.clientTlsCert.length > 0 ? { ca: Buffer.from(wish.clientTlsCert) } : undefined),
              },
              requireClientCertificate: wish.clientTlsCert.length > 0,
            }
          : undefined),
      });
  }
}

function wantedErrorOf(refusal: Refusal, requestId: string): ConnectError {
  const extra = refusal.extra as { wanted?: WantedError; info?: unknown } | undefined;
  if (extra?.wanted === undefined) return withoutDetails(connectErrorOf(refusal, requestId));
  const { code, message, details = [] } = extra.wanted;
  const codes = conformanceRegistry.getEnum("connectrpc.conformance.v1.Code")!;
  const number = codes.values.find(({ name }) => name === code)?.number ?? 2;
  const error = new ConnectError(message ?? "", number);
  error.details = details.map(({ type_url, value }) => ({
    type: type_url.slice(type_url.lastIndexOf("/") + 1),
    value: Buffer.from(value, "base64"),
  }));
  if (extra.info !== undefined) {
    const desc = conformanceRegistry.getMessage("connectrpc.conformance.v1.ConformancePayload.RequestInfo")!;
    error.details.push({ type: desc.typeName, value: toBinary(desc, fromPlain(desc, extra.info)) });
  }
  return error;
}

/** The suite does not expect the error details that we add. */
function withoutDetails(error: ConnectError): ConnectError {
  error.details = [];
  return error;
}

interface Wish {
  readonly useTls: boolean;
  readonly messageReceiveLimit: number;
  readonly clientTlsCert: Uint8Array;
  readonly serverCreds?: { readonly cert: Uint8Array; readonly key: Uint8Array };
}

async function readWish(): Promise<Wish> {
  const chunks: Buffer[] = [];
  let bytes = Buffer.alloc(0);
  for await (const chunk of process.stdin) {
    chunks.push(chunk);
    bytes = Buffer.concat(chunks);
    if (bytes.length >= 4 && bytes.length >= 4 + bytes.readUInt32BE(0)) break;
  }
  const desc = conformanceRegistry.getMessage("connectrpc.conformance.v1.ServerCompatRequest")!;
  return fromBinary(desc, bytes.subarray(4, 4 + bytes.readUInt32BE(0))) as unknown as Wish;
}

async function answerWish({ port }: HttpServer): Promise<void> {
  const desc = conformanceRegistry.getMessage("connectrpc.conformance.v1.ServerCompatResponse")!;
  const init = { host: "127.0.0.1", port, pemCert: wish.serverCreds?.cert ?? new Uint8Array() };
  const bytes = toBinary(desc, create(desc, init as never));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  process.stdout.write(Buffer.concat([length, bytes]));
}
