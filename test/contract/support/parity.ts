import type { TestFn } from "ava";
import { surface } from "../../../cli/client/surface.ts";
import type { ContractMethod } from "../../../gateway/contract/index.ts";
import type { Case } from "../cases/case.ts";
import { casesByArea } from "../cases/index.ts";
import { World } from "../cases/world.ts";
import { completed, type Door, doorsOf, type Outcome } from "./clients.ts";
import { normal } from "./normal.ts";
import { probeContract, startTestService, type TestService } from "./service.ts";

/** What the tests of one client share: a service, its address, and REST, which the client is compared with. */
export interface ParityContext {
  readonly service: TestService;
  readonly url: string;
  readonly rest: Door;
}

type Call = (
  method: ContractMethod,
  request: Readonly<Record<string, unknown>>,
  headers: Record<string, string>,
) => Promise<Outcome>;
export type ClientCall = (url: string, ...given: Parameters<Call>) => Promise<Outcome>;

/** Methods of the external plane that clients call by a name. */
export const namedMethods = surface().methods.filter(
  ({ plane, cli }) => plane === "external" && cli !== undefined,
);
const named = new Set(namedMethods.map(({ id }) => id));

export function withParityService(test: TestFn<ParityContext>): void {
  test.before(async (t) => {
    const service = await startTestService({ runtime: true, tenants: true });
    const rest = doorsOf(service)["rest-node"];
    t.context = { service, url: `http://127.0.0.1:${service.ports.node}`, rest };
  });
  test.after.always((t) => t.context.service?.close());
}

type Declare = (
  title: string,
  implementation: (t: { context: ParityContext; deepEqual: Compare }) => Promise<void>,
) => void;
type Compare = (actual: unknown, expected: unknown, message?: string) => boolean;

/** A test an area: each unary case by the client and by REST has the same data or error code. */
export function parityCases(
  declare: Declare,
  title: string,
  call: ClientCall,
  takes: (one: Case) => boolean = () => true,
): void {
  for (const [area, cases] of Object.entries(casesByArea)) {
    const own = cases.filter(
      (one) =>
        named.has(one.method) &&
        one.meanwhile === undefined &&
        probeContract.byName.get(one.method)!.kind === "unary" &&
        takes(one),
    );
    if (own.length === 0) continue;
    declare(`${area}: ${title}`, async (t) => {
      const { url, rest } = t.context;
      for (const one of own) {
        const expected = await play(rest, one, rest.unary);
        const said = await play(rest, one, (...given) => call(url, ...given));
        t.deepEqual(said, expected, `${one.method}: ${one.claim}`);
      }
    });
  }
}

async function play(rest: Door, one: Case, call: Call): Promise<unknown> {
  const method = probeContract.byName.get(one.method)!;
  const world = new World(rest);
  const request = (await one.request(world)) as Readonly<Record<string, unknown>>;
  const outcome = await call(method, request, { ...one.headers, ...world.headers });
  if (!outcome.ok) return { refused: outcome.error.errorCode };
  return normal({ ...outcome, message: comparable(method, outcome.message) });
}

/** Of a page its items: a client may read the others itself. */
function comparable(method: ContractMethod, message: unknown): unknown {
  if (method.mediaType !== undefined) return "text";
  const { pagination } = method;
  const whole = completed(method, message);
  return pagination === undefined ? whole : (whole as Record<string, unknown>)[pagination.itemsField];
}
