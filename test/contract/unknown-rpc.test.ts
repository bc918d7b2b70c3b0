import { connect } from "node:http2";
import { Client, credentials, type ServiceError } from "@grpc/grpc-js";
import anyTest, { type TestFn } from "ava";
import { send } from "./support/rest-client.ts";
import { startTestService, type TestService } from "./support/service.ts";

const test = anyTest as TestFn<{ service: TestService }>;

test.before(async (t) => {
  t.context = { service: await startTestService() };
});

test.after.always((t) => t.context.service.close());

const paths = [
  "/service.api.PoolService/Nothing",
  "/service.nothing.Service/Do",
  "/grpc.health.v1.Nothing/Check",
];

for (const path of [...paths, "/Nothing/Do"]) {
  test(`${path}: given a call of gRPC, it is UNIMPLEMENTED on every port`, async (t) => {
    const { grpc, native, internal, internalGrpc } = t.context.service.ports;
    for (const port of [grpc, native, internal, internalGrpc]) {
      const { code, details, metadata } = await overGrpc(port, path);
      t.is(code, 12, `${port}`);
      t.is(details, `there is no method ${path}`, `${port}`);
      t.is(metadata.get("grpc-status-details-bin").length, 1, `${port}`);
    }
  });

  test(`${path}: given a call of gRPC-Web or a stream of Connect, it is UNIMPLEMENTED on every port`, async (t) => {
    const { uws, node, native, internal } = t.context.service.ports;
    for (const port of [uws, node]) {
      const web = await overHttp1(port, path, "application/grpc-web+proto");
      t.is(web.status, 200);
      t.regex(web.text, /grpc-status: 12/, `${port}`);
    }
    for (const port of [native, internal]) {
      const web = await overHttp2(port, path, "application/grpc-web+proto", Buffer.alloc(5));
      t.is(web.status, 200);
      t.regex(web.text, /grpc-status: 12/, `${port}`);
      const stream = await overHttp2(port, path, "application/connect+proto", Buffer.alloc(5));
      t.is(stream.status, 200);
      t.regex(stream.text, /"code":"unimplemented"/, `${port}`);
    }
  });
}

for (const path of paths)
  test(`${path}: given a unary call of Connect, it is 404 with the code unimplemented on every port`, async (t) => {
    const { uws, node, native, internal } = t.context.service.ports;
    const answers = [
      await send(uws, "POST", path, "{}", {}),
      await send(node, "POST", path, "{}", {}),
      await overHttp2(native, path, "application/json", Buffer.from("{}")),
      await overHttp2(internal, path, "application/proto", Buffer.alloc(0)),
      await send(uws, "GET", `${path}?encoding=json&message=%7B%7D`, undefined, {}),
    ];
    for (const { status, text } of answers) {
      t.is(status, 404);
      t.like(JSON.parse(text), { code: "unimplemented", message: `there is no method ${path}` });
    }
  });

test("given a call of gRPC with a slip in the method, the nearest method is told", async (t) => {
  const { grpc, native } = t.context.service.ports;
  for (const port of [grpc, native]) {
    const { details } = await overGrpc(port, "/service.api.PoolService/GetPol");
    t.regex(details, /; did you mean \/service\.api\.PoolService\/GetPool\?$/);
  }
});

test("given a path of RPC and none of its protocols, it is not found", async (t) => {
  const { status, text } = await send(t.context.service.ports.uws, "GET", paths[0]!, undefined, {});
  t.is(status, 404);
  t.is(JSON.parse(text).errorCode, "NOT_FOUND");
});

test("given a path that REST does not have and a body of JSON, it is not found", async (t) => {
  const { status, text } = await send(t.context.service.ports.uws, "POST", "/api/nothing", "{}", {});
  t.is(status, 404);
  t.is(JSON.parse(text).errorCode, "NOT_FOUND");
});

function overGrpc(port: number, path: string): Promise<ServiceError> {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(
      path,
      () => Buffer.alloc(0),
      (bytes) => bytes,
      {},
      (error) => {
        client.close();
        if (error === null) reject(new Error("it was answered"));
        else resolve(error);
      },
    );
  });
}

async function overHttp1(port: number, path: string, type: string) {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: "POST",
    headers: { "content-type": type },
    body: new Uint8Array(5),
  });
  return { status: answer.status, text: await answer.text() };
}

async function overHttp2(port: number, path: string, type: string, body: Buffer) {
  const session = connect(`http://127.0.0.1:${port}`);
  const stream = session.request({ ":method": "POST", ":path": path, "content-type": type });
  let status = 0;
  stream.on("response", (headers) => {
    status = Number(headers[":status"]);
  });
  stream.end(body);
  let text = "";
  for await (const chunk of stream) text += String(chunk);
  session.destroy();
  return { status, text };
}
