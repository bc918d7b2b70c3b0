import { Client, credentials, Metadata, type ServiceError } from "@grpc/grpc-js";
import anyTest, { type TestFn } from "ava";
import { testProviders } from "./support/auth.ts";
import { startTestService, type TestService } from "./support/service.ts";

const test = anyTest as TestFn<{ service: TestService; client: Client; inside: Client }>;

test.before(async (t) => {
  const service = await startTestService({ settings: { authEnabled: true }, providers: testProviders });
  const to = (port: number) => new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  t.context = { service, client: to(service.ports.grpc), inside: to(service.ports.internalGrpc) };
});

test.after.always(async (t) => {
  t.context.client.close();
  t.context.inside.close();
  await t.context.service.close();
});

const same = (bytes: Buffer) => bytes;

function check(client: Client, service: string): Promise<Buffer | ServiceError> {
  const request = Buffer.concat([Buffer.from([10, service.length]), Buffer.from(service)]);
  return new Promise((resolve) => {
    client.makeUnaryRequest("/grpc.health.v1.Health/Check", same, same, request, (error, answer) =>
      resolve(error ?? answer!),
    );
  });
}

/** The answer to "list services" as bytes: the names of the services are readable in it. */
function listServices(client: Client, version: string, token?: string): Promise<string | ServiceError> {
  return reflect(client, version, { field: 7, text: "*" }, token);
}

/** A reflection request: one string field. */
function reflect(
  client: Client,
  version: string,
  { field, text }: { field: number; text: string },
  token?: string,
): Promise<string | ServiceError> {
  const metadata = new Metadata();
  if (token !== undefined) metadata.set("authorization", `Bearer ${token}`);
  const path = `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`;
  return new Promise((resolve) => {
    const call = client.makeBidiStreamRequest(path, same, same, metadata);
    call.on("data", (answer: Buffer) => {
      resolve(answer.toString("latin1"));
      call.end();
    });
    call.on("error", resolve);
    call.write(Buffer.concat([Buffer.from([field * 8 + 2, text.length]), Buffer.from(text)]));
  });
}

test("the standard health service needs no credentials, and knows every service", async (t) => {
  const serving = Buffer.from([8, 1]);
  t.deepEqual(await check(t.context.client, ""), serving);
  t.deepEqual(await check(t.context.client, "service.api.PoolService"), serving);
  t.is(((await check(t.context.client, "nobody")) as ServiceError).code, 5);
});

test("a health watch reports the status of a service, or that it is unknown, and stays open", async (t) => {
  const watched = (service: string) => {
    const request = Buffer.concat([Buffer.from([10, service.length]), Buffer.from(service)]);
    const call = t.context.client.makeServerStreamRequest(
      "/grpc.health.v1.Health/Watch",
      same,
      same,
      request,
    );
    call.on("error", () => undefined);
    return new Promise<Buffer>((resolve) => {
      call.once("data", (answer: Buffer) => {
        call.cancel();
        resolve(answer);
      });
    });
  };
  t.deepEqual(await watched("service.api.PoolService"), Buffer.from([8, 1]));
  t.deepEqual(await watched("nobody"), Buffer.from([8, 3]));
});

for (const version of ["v1", "v1alpha"])
  test(`reflection (${version}) needs an authenticated caller, and shows the services of its plane`, async (t) => {
    const { client, inside } = t.context;
    t.is(((await listServices(client, version)) as ServiceError).code, 16);
    const outside = String(await listServices(client, version, "viewer"));
    t.true(outside.includes("service.api.PoolService"), outside);
    t.false(outside.includes("service.api.RuntimeService"), "it has internal methods only");
    t.true(String(await listServices(inside, version, "viewer")).includes("service.api.RuntimeService"));
  });

test("reflection knows the health service, which generic clients look up before they call it", async (t) => {
  const { client } = t.context;
  t.true(String(await listServices(client, "v1", "viewer")).includes("grpc.health.v1.Health"));
  const file = await reflect(client, "v1", { field: 4, text: "grpc.health.v1.Health" }, "viewer");
  t.true(String(file).includes("HealthCheckRequest"), String(file));
  t.true(String(file).includes("StatusesEntry"), "the entry of a map is named as protoc names it");
});

test("reflection knows what errors carry, so that generic clients can show the errorCode and the fields", async (t) => {
  for (const name of ["ErrorInfo", "BadRequest", "RetryInfo"]) {
    const file = await reflect(t.context.client, "v1", { field: 4, text: `google.rpc.${name}` }, "viewer");
    t.true(String(file).includes("google/rpc/error_details.proto"), `${name}: ${String(file)}`);
  }
});
