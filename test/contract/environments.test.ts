import test from "ava";
import { newUlid, Random, systemTenantId } from "#base";
import type { ContractMethod } from "../../gateway/contract/index.ts";
import type { Case } from "./cases/case.ts";
import { casesByArea } from "./cases/index.ts";
import { run } from "./cases/workflow-run.ts";
import { World } from "./cases/world.ts";
import { byTenantProviders } from "./support/auth.ts";
import { type Door, type Doors, doorsOf, type Outcome } from "./support/clients.ts";
import { probeContract, startTestService } from "./support/service.ts";

/** Methods by where their environment comes from × what a credential is limited to, on the doors of a service. */
const methods = probeContract.methods.filter(({ governance }) => !governance.internalOnly);
const staging = { "x-environment": "staging" };

interface Setup {
  readonly doors: Doors;
  readonly tenant: string;
}

async function start(t: { teardown(fn: () => Promise<void>): void }): Promise<Setup> {
  const service = await startTestService({
    runtime: true,
    tenants: true,
    settings: { authEnabled: true },
    providers: byTenantProviders,
  });
  const doors = doorsOf(service);
  t.teardown(async () => {
    for (const door of Object.values(doors)) door.close?.();
    await service.close();
  });
  const create = probeContract.byName.get("TenantService.CreateTenant")!;
  const headers = { authorization: `Bearer admin@${systemTenantId}` };
  const made = await doors.grpc.unary(create, { name: "acme" }, headers);
  return { doors, tenant: (made as { message: { id: string } }).message.id };
}

type Mode = "any" | "production_only" | "non_production_only";

function as(door: Door, tenant: string, mode: Mode): Door {
  const own = { authorization: `Bearer admin@${tenant}@${mode}` };
  return {
    ...door,
    unary: (method, message, headers) => door.unary(method, message, { ...headers, ...own }),
    ...(door.stream && {
      stream: (method, messages, options) =>
        door.stream!(method, messages, { ...options, headers: { ...options?.headers, ...own } }),
    }),
  };
}

// One service at a time: in a test process, modules call the methods of the service that was started last.
test.serial(
  "given a method without an environment, when a limited credential calls it, then it is refused unless the contract says why not",
  async (t) => {
    const { doors, tenant } = await start(t);
    const wrong: string[] = [];
    for (const method of from("none"))
      for (const mode of ["production_only", "non_production_only"] as const) {
        const outcome = await called(as(doors.grpc, tenant, mode), method, {});
        const isOpen = method.environment.open !== undefined;
        const isRight = isOpen ? !isOfMode(outcome) : codesOf(outcome)[0] === "PERMISSION_DENIED";
        if (!isRight) wrong.push(`${method.name}, ${mode}: ${told(outcome)}`);
      }
    t.deepEqual(wrong, []);
  },
);

test.serial(
  "given something of one environment, when a credential for others or a call for another names it, then it is refused",
  async (t) => {
    const { doors, tenant } = await start(t);
    const wrong: string[] = [];
    const own = as(doors.grpc, tenant, "any");
    for (const method of from("resource")) {
      const { request, options, environment } = await prepared(method, own);
      const note = (outcome: Outcome, claim: string) =>
        wrong.push(`${method.name}, ${claim}: ${told(outcome)} for ${JSON.stringify(request)}`);
      const isProduction = environment === "production";
      const [inside, outside] = isProduction ? modes : modes.toReversed();
      const limited = await called(as(doors.grpc, tenant, outside!), method, request, options);
      // Batches have entries for things that are not there.
      const codes = codesOf(limited).filter((code) => code !== "NOT_FOUND");
      if (codes.join() !== "PERMISSION_DENIED") note(limited, outside!);
      const headers = { ...options.headers, "x-environment": isProduction ? "staging" : "production" };
      const elsewhere = await called(own, method, request, { ...options, headers });
      if (codesOf(elsewhere).join() !== "NOT_FOUND") note(elsewhere, "another X-Environment");
      const allowed = await called(as(doors.grpc, tenant, inside!), method, request, options);
      if (isOfMode(allowed)) note(allowed, inside!);
    }
    t.deepEqual(wrong, []);
  },
);

test.serial(
  "given a method that makes something, when its environment is not the credential's, then it is refused",
  async (t) => {
    const { doors, tenant } = await start(t);
    const wrong: string[] = [];
    const own = as(doors.grpc, tenant, "any");
    for (const method of from("new")) {
      const { request, options } = await prepared(method, own);
      const elsewhere = { ...options, headers: { ...options.headers, ...staging } };
      for (const [mode, how, isRefused] of [
        ["non_production_only", options, true],
        ["production_only", elsewhere, true],
        ["production_only", options, false],
      ] as const) {
        const outcome = await called(as(doors.grpc, tenant, mode), method, request, how);
        if (isOfMode(outcome) !== isRefused) wrong.push(`${method.name}, ${mode}: ${told(outcome)}`);
      }
    }
    t.deepEqual(wrong, []);
  },
);

test.serial(
  "given things of environments, when a limited credential or a call for one environment lists them, then it gets those alone",
  async (t) => {
    const { doors, tenant } = await start(t);
    const wrong: string[] = [];
    const own = as(doors.grpc, tenant, "any");
    for (const method of from("each").filter(({ kind }) => kind === "unary")) {
      const { request, options } = await prepared(method, own);
      const count = async (mode: Mode, headers?: Record<string, string>) => {
        const how = { ...options, headers: { ...options.headers, ...headers } };
        const all = { ...(request as object), page_size: 1_000 };
        return listed(method, await called(as(doors.grpc, tenant, mode), method, all, how));
      };
      const found = {
        all: await count("any"),
        production: [await count("production_only"), await count("any", { "x-environment": "production" })],
        staging: [await count("non_production_only"), await count("any", staging)],
      };
      const [inside, outside] = [found.production[0]!, found.staging[0]!];
      const isRight = inside === found.production[1] && outside === found.staging[1];
      const isEmpty = found.all === 0 && !mayBeEmpty.has(method.name);
      if (isEmpty || !isRight || inside + outside !== found.all)
        wrong.push(`${method.name} ${JSON.stringify(request)}: ${JSON.stringify(found)}`);
    }
    t.deepEqual(wrong, []);
  },
);

for (const door of ["rest-uws", "rest-node", "grpc"] as const)
  test.serial(
    `given events of two environments, when a limited credential or a call for one environment subscribes, then it gets those alone: ${door}`,
    async (t) => {
      const { doors, tenant } = await start(t);
      const make = probeContract.byName.get("PoolService.CreatePool")!;
      const subscribe = probeContract.byName.get("EventService.Subscribe")!;
      const readers = [
        { mode: "production_only", headers: {}, sees: "production" },
        { mode: "non_production_only", headers: {}, sees: "staging" },
        { mode: "any", headers: { "x-environment": "production" }, sees: "production" },
        { mode: "any", headers: staging, sees: "staging" },
      ] as const;
      let open = readers.length;
      const reading = readers.map(async ({ mode, headers, sees }) => {
        const by = as(doors[door], tenant, mode);
        const request = [{ kinds: ["pool.created"] }];
        const outcome = await by.stream!(subscribe, request, { headers, take: 3 });
        open--;
        const told = JSON.stringify(outcome);
        t.true(told.includes(sees), told);
        t.false(told.includes(sees === "staging" ? "production" : "staging"), told);
      });
      // "From now on" is known when the first event arrives.
      for (let i = 0; open > 0; i++)
        for (const headers of [{}, staging])
          await as(doors.grpc, tenant, "any").unary(make, { name: `pool ${i}` }, headers);
      await Promise.all(reading);
    },
  );

for (const door of ["rest-uws", "grpc"] as const)
  test.serial(
    `given events of a production run, when they are asked for or sent from elsewhere, then the payload is not told and nothing is signalled: ${door}`,
    async (t) => {
      const { doors, tenant } = await start(t);
      const signal = probeContract.byName.get("WorkflowWaitService.SignalRun")!;
      const wait = probeContract.byName.get("WorkflowWaitService.WaitForEvent")!;
      const by = (mode: Mode) => as(doors[door], tenant, mode);
      const ids = {
        engine: await run(new World(by("any"))),
        unknown: newUlid(Date.now(), new Random("run")),
      };
      for (const [kind, run_id] of Object.entries(ids)) {
        const asked = { run_id, event_key: "go" };
        const event = { ...asked, event_id: "e", payload: "secret" };
        const isOfEngine = kind === "engine";
        t.true(isOfMode(await by("non_production_only").unary(signal, event)), kind);
        const astray = await by("any").unary(signal, { ...event, payload: "staging" }, staging);
        t.deepEqual(codesOf(astray), [isOfEngine ? "NOT_FOUND" : "(an answer)"], kind);
        const sent = await by("any").unary(signal, event);
        t.like(sent, { ok: true, message: { duplicate: false } }, kind);
        t.true(isOfMode(await by("non_production_only").unary(wait, asked)), kind);
        const heard = await by("production_only").unary(wait, asked);
        t.like(heard, { ok: true, message: { event: { payload: "secret" } } }, kind);
        const elsewhere = await by("non_production_only").unary(wait, asked, staging);
        if (isOfEngine) t.deepEqual(codesOf(elsewhere), ["NOT_FOUND"]);
        else t.like(elsewhere, { ok: true, message: { event: { payload: "staging" } } });
      }
    },
  );

const modes = ["production_only", "non_production_only"] as const;

function from(source: ContractMethod["environment"]["from"]): ContractMethod[] {
  return methods.filter(({ environment }) => environment.from === source);
}

interface Options {
  readonly headers: Record<string, string>;
  readonly take?: number;
}

interface Prepared {
  readonly request: unknown;
  readonly options: Options;
  /** Of what the request names. */
  readonly environment: string;
}

/** A call that succeeds where the credential is not limited: of the cases of the method, one that names something. */
async function prepared(method: ContractMethod, own: Door): Promise<Prepared> {
  const good = cases.filter((one) => one.method === method.name && isGood(one));
  let found: Prepared | undefined;
  for (const one of good) {
    const world = new World(own);
    const asked = await one.request(world);
    const request = takesAnyRun.has(method.name) ? { ...(asked as object), run_id: await run(world) } : asked;
    const headers = { ...world.headers, ...one.headers };
    const named = (request ?? {}) as { environment_id?: string; environment?: string };
    const environment = named.environment_id ?? named.environment ?? "production";
    found = { request, environment, options: { headers, ...(one.take !== undefined && { take: one.take }) } };
    if (/[0-7][0-9A-HJKMNP-TV-Z]{25}|environment/.test(JSON.stringify(request))) break;
  }
  if (found === undefined) throw new Error(`${method.name} has no case that succeeds`);
  return found;
}

/** Those of a monitor that is new. */
const mayBeEmpty: ReadonlySet<string> = new Set(["AnomalyService.ListAnomalies"]);

/** Where the workflow engine has no run of the id, these act in the environment of X-Environment. */
const takesAnyRun: ReadonlySet<string> = new Set([
  "WorkflowStreamService.CreateStream",
  "WorkflowWaitService.SignalRun",
  "WorkflowWaitService.WaitForEvent",
]);

const cases = Object.values(casesByArea).flat();

function isGood({ refused, headers }: Case): boolean {
  return refused === undefined && headers?.["x-environment"] === undefined;
}

function called(
  door: Door,
  method: ContractMethod,
  request: unknown,
  options: Options = { headers: {} },
): Promise<Outcome> {
  if (method.kind === "unary") return door.unary(method, request, options.headers);
  return door.stream!(method, Array.isArray(request) ? request : [request], options);
}

/** The code of a refusal, or the codes of the entries of a batch or a stream. */
function codesOf(outcome: Outcome): string[] {
  if (!outcome.ok) return [outcome.error.errorCode];
  const codes = [...JSON.stringify(outcome.message).matchAll(/"error_code":"([A-Z_]+)"/g)];
  return codes.length === 0 ? ["(an answer)"] : [...new Set(codes.map(([, code]) => code!))];
}

function isOfMode(outcome: Outcome): boolean {
  return !outcome.ok && outcome.error.reason === "ENVIRONMENT_MODE";
}

/** Nothing where the filter itself names something that the caller may not see. */
function listed({ pagination }: ContractMethod, outcome: Outcome): number {
  if (!outcome.ok) return 0;
  return ((outcome.message as Record<string, unknown[]>)[pagination!.itemsField] ?? []).length;
}

function told(outcome: Outcome): string {
  return JSON.stringify(outcome.ok ? outcome.message : outcome.error)?.slice(0, 300);
}
