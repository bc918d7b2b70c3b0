import { connect } from "node:http2";
import test from "ava";
import { RawConnection } from "../http/raw.ts";
import { startTestService } from "./support/service.ts";

const service = await startTestService({ settings: { authEnabled: true } });
test.after.always(() => service.close());

const lines = ["POST /api/pools HTTP/1.1", "Host: localhost", "Content-Type: application/json"];
const unfinished = (...more: string[]) =>
  `${[...lines, "Content-Length: 4000000", ...more].join("\r\n")}\r\n\r\n{`;
const whole = (body: string, ...more: string[]) =>
  `${[...lines, `Content-Length: ${body.length}`, ...more].join("\r\n")}\r\n\r\n${body}`;

for (const door of ["uws", "node"] as const) {
  test(`${door}: a caller without credentials gets 401 before its body has arrived`, async (t) => {
    const connection = new RawConnection(service.ports[door]).write(unfinished());
    const answer = await connection.answer({ waitMs: 4_000 });
    t.is(answer?.status, 401);
    t.true(await connection.ended());
  });

  test(`${door}: a bad version is reported before missing credentials, and these before a body that is not JSON`, async (t) => {
    const connection = new RawConnection(service.ports[door]);
    t.is((await connection.write(whole("{", "Api-Version: nonsense")).answer())?.status, 400);
    t.is((await connection.write(whole("{")).answer())?.status, 401);
    t.is((await connection.write(whole("{}", "X-API-Key: any")).answer())?.status, 401);
    t.false(connection.closed, "a body that came is no reason to close");
    connection.destroy();
  });
}

for (const door of ["native", "grpc"] as const)
  test(`${door}: a gRPC caller without credentials gets UNAUTHENTICATED, whatever it sends`, async (t) => {
    const session = connect(`http://127.0.0.1:${service.ports[door]}`);
    const stream = session.request({
      ":method": "POST",
      ":path": "/service.api.PoolService/ListPools",
      "content-type": "application/grpc",
      te: "trailers",
    });
    stream.end(Buffer.from([0, 0, 0, 0, 3, 255, 255, 255]));
    const status = new Promise((resolve) => {
      stream.on(
        "response",
        (headers) => headers["grpc-status"] !== undefined && resolve(headers["grpc-status"]),
      );
      stream.on("trailers", (trailers) => resolve(trailers["grpc-status"]));
    });
    stream.resume();
    t.is(await status, "16");
    session.close();
  });
