/** The service runs its own conformance suites. Behind a proxy that falsifies answers, every case must fail. */
import { once } from "node:events";
import { createServer, request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import type { ExecutionContext } from "ava";
import { runSuite } from "../../gateway/conformance/run.ts";
import { suites } from "../../gateway/conformance/suites.ts";
import { Tester } from "../../gateway/conformance/tester.ts";
import { loadContract } from "../../gateway/contract/index.ts";
import { eventually } from "../support/eventually.ts";
import { api, type Message, test } from "./support.ts";

const contract = loadContract();
const cases = suites.flatMap((suite) => suite.cases);

test("there are at least 60 cases, each with its own id under its suite, and each names existing methods", (t) => {
  t.true(cases.length >= 60, `there are ${cases.length}`);
  t.is(new Set(cases.map(({ id }) => id)).size, cases.length);
  for (const suite of suites)
    for (const { id, methods } of suite.cases) {
      t.regex(id, new RegExp(`^${suite.id}\\.[a-z0-9-]+$`));
      for (const method of methods) t.true(contract.byName.has(method), `${id}: ${method}`);
    }
});

test.serial(
  "given two sandbox runs of all suites, then both are conformant with the same report id, and no data is left",
  async (t) => {
    const call = api(t.context);
    const run = () =>
      call("POST", "/api/runtime-conformance/suites/all:run", { environment_id: "staging", mode: "sandbox" });
    const first = (await run()).data as Message & { results: { status: string }[] };
    t.is(
      first.verdict,
      "conformant",
      JSON.stringify(first.results?.filter(({ status }) => status !== "passed")),
    );
    const second = (await run()).data;
    t.is(second.report_id, first.report_id);
    const listed = (await call("GET", "/api/runtime-conformance/reports?environment_id=staging")).body;
    t.is(listed.total, 1);
    const one = await call("GET", `/api/runtime-conformance/reports/staging/${first.report_id}`);
    t.is(one.data.report_id, first.report_id);
    const told = (await call("POST", "/api/runtime-conformance/reports/staging:explain", {})).data;
    t.deepEqual(told.failed, []);
    await eventually("the sandbox tenants are deleted", async () => {
      const { body } = await call("GET", "/api/tenants?limit=1000");
      const open = (body.data as { name: string; status: string }[]).filter(
        ({ name, status }) => name === "conformance sandbox" && status !== "deleted",
      );
      return open.length === 0 ? true : undefined;
    });
  },
);

test.serial(
  "given a run under way, then another run of the same tenant on this node is refused",
  async (t) => {
    const call = api(t.context);
    const body = { environment_id: "staging", mode: "sandbox" };
    const running = call("POST", "/api/runtime-conformance/suites/worker_protocol:run", body);
    await eventually("the second one is refused", async () => {
      const refused = await call("POST", "/api/runtime-conformance/suites/mcp:run", body);
      return refused.body.reason === "RUN_ACTIVE" ? true : undefined;
    });
    t.is((await running).data.verdict, "conformant");
  },
);

test.serial("given a pack, then a run adds the runtime receipt that its gate asks for", async (t) => {
  const call = api(t.context);
  const requirements = [{ id: "runtime", receipt_type: "runtime" }];
  const made = await call("POST", "/api/rollout-evidence/packs", {
    environment_id: "staging",
    name: "p",
    requirements,
  });
  const pack = `/api/rollout-evidence/packs/staging/${made.data.id}`;
  const body = { environment_id: "staging", mode: "sandbox", pack_id: made.data.id };
  const { data } = await call("POST", "/api/runtime-conformance/suites/admission:run", body);
  t.is(data.verdict, "conformant");
  const gate = (await call("POST", `${pack}/gate:evaluate`, {})).data;
  t.true(gate.satisfied, JSON.stringify(gate));
});

test.serial(
  "given a dry run, then it changes nothing and is partial; given a live environment, then a sandbox run is refused",
  async (t) => {
    const call = api(t.context);
    const pools = async () => (await call("GET", "/api/pools")).body.total;
    const before = await pools();
    const dry = await call("POST", "/api/runtime-conformance/suites/runtime:run", {
      environment_id: "production",
      mode: "dry_run",
    });
    t.is(dry.data.verdict, "partial");
    t.is(await pools(), before);
    const live = await call("POST", "/api/runtime-conformance/suites/runtime:run", {
      environment_id: "production",
      mode: "sandbox",
    });
    t.is(live.body.reason, "LIVE_ENVIRONMENT");
    t.is(
      (
        await call("GET", "/api/pools", undefined, {
          "x-api-key": "swcf_01J9ZC5T8N4W0QK7V3M2B6XH1D.9999999999999.x",
        })
      ).status,
      200,
    );
  },
);

/** Passes all requests on and falsifies one answer: a success becomes an empty one, a refusal becomes a success. */
async function startLiar(
  t: ExecutionContext,
  target: number,
): Promise<{ url: string; lieAt: (n: number) => void; seen: () => number }> {
  let lying = 0;
  let count = 0;
  const server = createServer((incoming, outgoing) => {
    const passed = httpRequest(
      {
        port: target,
        host: "127.0.0.1",
        method: incoming.method,
        path: incoming.url,
        headers: incoming.headers,
      },
      (answer) => {
        const isLie = ++count === lying;
        if (!isLie) {
          outgoing.writeHead(answer.statusCode!, answer.headers);
          answer.pipe(outgoing);
          return;
        }
        answer.resume();
        const status = answer.statusCode! < 400 ? 500 : 200;
        const body = status === 500 ? '{"errorCode":"INTERNAL","detail":"a lie"}' : '{"data":{}}';
        outgoing
          .writeHead(status, { "content-type": "application/json", "content-length": body.length })
          .end(body);
      },
    );
    passed.on("error", () => outgoing.destroy());
    incoming.pipe(passed);
  });
  t.teardown(() => void server.close());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lieAt: (n) => {
      lying = n;
      count = 0;
    },
    seen: () => count,
  };
}

test.serial("given a proxy that falsifies the last answer, then every case fails", async (t) => {
  const { ports } = t.context.service;
  const liar = await startLiar(t, ports.http!);
  for (const suite of suites) {
    const parts = {
      contract,
      targets: {
        http: liar.url,
        grpc: `127.0.0.1:${ports.grpc}`,
        host: "localhost",
        mcp: { path: "/mcp", legacy: true },
      },
      headers: { "x-environment": "staging" },
      mode: "sandbox" as const,
      capabilities: new Set(["connectors", "mcp"]),
    };
    for (const one of suite.cases) {
      const alone = { ...suite, cases: [one] };
      const run = async () => (await runSuite(alone, { ...parts, endMs: Date.now() + 20_000 }))[0]!;
      await eventually(`${one.id} meets the lie`, async () => {
        liar.lieAt(0);
        const honest = await run();
        t.is(honest.status, "passed", `${one.id}: ${honest.detail}`);
        const last = liar.seen();
        liar.lieAt(last);
        const lied = await run();
        // On a slow machine a case may have needed more calls the first time: then no answer was a lie.
        if (liar.seen() < last) return undefined;
        t.is(lied.status, "failed", one.id);
        return true;
      });
    }
  }
});

test.serial("cases call the methods that they declare and no others", async (t) => {
  const { ports } = t.context.service;
  const targets = {
    http: `http://127.0.0.1:${ports.http}`,
    grpc: `127.0.0.1:${ports.grpc}`,
    host: "localhost",
    mcp: { path: "/mcp", legacy: true },
  };
  for (const one of cases) {
    const tester = new Tester({ contract, targets, headers: { "x-environment": "staging" } });
    await one.run(tester);
    t.deepEqual([...tester.called].sort(), [...one.methods].sort(), one.id);
  }
});
