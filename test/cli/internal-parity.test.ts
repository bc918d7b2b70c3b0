/** Every method of the internal plane by its command: the same data or errorCode as over gRPC and REST of that plane. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import anyTest, { type TestFn } from "ava";
import { systemClock } from "#base";
import { certificates, serviceTokens } from "../../gateway/identity/index.ts";
import { makeServiceToken } from "../../gateway/identity/service-tokens.ts";
import { nobody } from "../contract/cases/case.ts";
import { type Door, doorsOf } from "../contract/support/clients.ts";
import {
  lackingCases,
  methodsOf,
  type ParityClient,
  type ParityContext,
  parityCases,
  withParityService,
} from "../contract/support/parity.ts";
import { startTestService, type TestService } from "../contract/support/service.ts";
import { Authority } from "../support/certificates.ts";
import { runCommand } from "../support/cli.ts";
import { testAccess } from "../support/module-parts.ts";
import { casesNeeding } from "../support/needing.ts";
import { commandClient } from "./door.ts";

const test = anyTest as TestFn<ParityContext>;
withParityService(test, "internal");

const byCommand: ParityClient = {
  ...commandClient((url) => ({ words: ["--addr", new URL(url).host, "--token", "any"], environment: {} })),
  without: {
    "RuntimeService.DrainNode": "it needs a cluster: test/cluster/nodes.test.ts drains a node by its command",
    "WorkflowWaitService.Await": "workers of runs call it by gRPC or Connect: it has no address over REST",
    "WorkflowWaitService.Publish": "workers of runs call it by gRPC or Connect: it has no address over REST",
  },
};
/** What commands are compared with, by the other protocol. */
const byGrpc: ParityClient = {
  unary: (_url, ...given) => grpc.unary(...given),
  stream: (_url, ...given) => grpc.stream!(...given),
};
let grpc: Door;
test.serial.before((t) => {
  grpc = doorsOf(t.context.service)["internal-grpc"];
});
test.after.always(() => grpc?.close?.());

test("every method of the internal plane has a command, a good and a refused case, or a reason why not", (t) => {
  t.deepEqual(lackingCases("internal", byCommand), []);
});

test("given a method without REST, when it is asked for by a command, then the answer says who has it", async (t) => {
  const { code, err } = await runCommand(["api", "WorkflowWaitService.Await"]);
  t.is(code, 2);
  t.regex(err, /WorkflowWaitService\.Await has no address over REST: gRPC and Connect/);
});

parityCases(test.serial, "commands have the data and the error codes of REST", byCommand, "internal");
parityCases(test.serial, "gRPC has the data and the error codes of REST", byGrpc, "internal");

casesNeeding("commands of the internal plane with credentials", ["openssl", "curl"], () => {
  const authority = new Authority();
  const serverFiles = authority.issue("server", "IP:127.0.0.1");
  const known = authority.issue("known", "URI:spiffe://test/known");
  const stranger = authority.issue("stranger", "URI:spiffe://test/stranger");
  const secret = "a secret of at least thirty-two bytes";
  let service: TestService;
  test.before(async () => {
    service = await startTestService({
      runtime: true,
      tenants: true,
      settings: { authEnabled: true },
      providers: {
        certificate: certificates({ "spiffe://test/known": { roles: ["service", "admin"] } }, systemClock),
        bearer: serviceTokens([secret], testAccess, systemClock),
      },
      internalTls: {
        cert: readFileSync(serverFiles.certFile),
        key: readFileSync(serverFiles.keyFile),
        ca: readFileSync(authority.caFile),
      },
    });
  });
  test.after.always(async () => {
    await service?.close();
    authority.remove();
  });

  const codeOf = ({ code, err }: { code: number; err: string }): string =>
    code === 0 ? "OK" : (JSON.parse(err) as { errorCode: string }).errorCode;
  const requests: Readonly<Record<string, readonly string[]>> = {
    "EventService.Subscribe": ["--cursor", "forged"],
    "RuntimeService.DrainNode": ["--node-id", "n1"],
    "TenantService.CreateTenant": ["--name", "acme"],
  };

  for (const { name, rest } of methodsOf("internal").filter((method) => method.rest.length > 0))
    test(`${name}: a command with a token, with a certificate and with neither has the error code of gRPC`, async (t) => {
      const doors = doorsOf(service);
      t.teardown(() => doors["internal-grpc"].close?.());
      const ids = [...rest[0]!.template.matchAll(/\{(\w+)\}/g)].flatMap(([, field]) => [
        `--${field!.replaceAll("_", "-")}`,
        field === "node_id" ? "n1" : nobody,
      ]);
      const words = ["api", name, ...(requests[name] ?? ids), "-o", "json"];
      const run = (...more: string[]) => runCommand([...words, ...more]);
      const plain = ["--addr", `127.0.0.1:${service.ports.internal}`];
      const token = await makeServiceToken({ secret, subject: "job" });
      const [allowed, none, wrong] = [
        codeOf(await run(...plain, "--token", token)),
        codeOf(await run(...plain, "--token", "")),
        codeOf(await run(...plain, "--token", "forged")),
      ];
      t.false(["UNAUTHENTICATED", "PERMISSION_DENIED"].includes(allowed), allowed);
      t.is(none, "UNAUTHENTICATED");
      t.is(wrong, "UNAUTHENTICATED");
      const secure = ["--addr", `127.0.0.1:${service.ports.internalTls}`, "--ca", authority.caFile];
      const shown = ({ certFile, keyFile }: typeof known) => ["--cert", certFile, "--key", keyFile];
      t.is(codeOf(await run(...secure, "--token", "", ...shown(known))), allowed);
      t.is(codeOf(await run(...secure, "--token", "", ...shown(stranger))), "PERMISSION_DENIED");
      t.is((await run(...secure, "--token", "")).code, 5);
    });

  test("given a token and a certificate, when the line of curl is shown, then it names their variable and files, and does the same", async (t) => {
    const secure = ["--addr", `127.0.0.1:${service.ports.internalTls}`, "--ca", authority.caFile];
    const token = await makeServiceToken({ secret, subject: "job" });
    const shown = ["--cert", known.certFile, "--key", known.keyFile, "--token", token];
    const { out } = await runCommand(["shards", "list", ...secure, ...shown, "--curl"]);
    t.false(out.includes(token));
    t.true(out.includes("Bearer $SERVICE_TOKEN"), out);
    const env = { ...process.env, SERVICE_TOKEN: token };
    const { stdout } = await promisify(execFile)("sh", ["-c", out], { env });
    t.true(Array.isArray((JSON.parse(stdout) as { data: { shards: unknown[] } }).data.shards));
  });
});
