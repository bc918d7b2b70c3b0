import type { ExecutionContext, TestFn } from "ava";
import { surface } from "../../../cli/client/surface.ts";
import type { ContractMethod } from "../../../gateway/contract/index.ts";
import type { Case } from "../cases/case.ts";
import { casesByArea } from "../cases/index.ts";
import { completed, type Door, doorsOf, type Outcome } from "./clients.ts";
import { normal } from "./normal.ts";
import { play, type Streaming, type Unary } from "./play.ts";
import { probeContract, startTestService, type TestService, type TestServiceOptions } from "./service.ts";

type Plane = "external" | "internal";

/** What the tests of one client share: a service, its address, and the doors that the client is compared with. */
export interface ParityContext {
  readonly service: TestService;
  readonly url: string;
  readonly rest: Door;
  /** For what has no address over REST. */
  readonly socket: Door;
}

/** A way to call every method of a plane. */
export interface ParityClient {
  readonly unary: (url: string, ...given: Parameters<Unary>) => Promise<Outcome>;
  readonly stream: (url: string, ...given: Parameters<Streaming>) => Promise<Outcome>;
  /** Methods to which this client has no way, each with the reason. */
  readonly without?: Readonly<Record<string, string>>;
}

export function withParityService(
  test: TestFn<ParityContext>,
  plane: Plane = "external",
  options: TestServiceOptions = {},
): void {
  test.serial.before(async (t) => {
    const service = await startTestService({ runtime: true, tenants: true, ...options });
    const doors = doorsOf(service);
    const isInternal = plane === "internal";
    t.context = {
      service,
      url: `http://127.0.0.1:${isInternal ? service.ports.internal : service.ports.node}`,
      rest: doors[isInternal ? "internal-rest" : "rest-node"],
      socket: doors[isInternal ? "internal-grpc" : "socket-json"],
    };
  });
  test.after.always(async (t) => {
    t.context.socket?.close?.();
    await t.context.service?.close();
  });
}

/** The methods of a plane: those of the contract, without those of tests and of dialects, which the surface leaves out. */
export function methodsOf(plane: Plane): readonly ContractMethod[] {
  return surface()
    .methods.filter((method) => method.plane === plane)
    .map(({ id }) => probeContract.byName.get(id)!);
}

/**
 * A method without a good and a bad case, or that the client has no way to and no reason for it, is a failure; so is a stream
 * whose cases show no message and no end.
 */
export function lackingCases(
  plane: Plane,
  { without = {} }: Pick<ParityClient, "without">,
  endless: Readonly<Record<string, string>> = {},
): readonly string[] {
  const all = Object.values(casesByArea).flat();
  const methods = methodsOf(plane);
  const lacking = methods.flatMap((method) => {
    const own = all.filter((one) => one.method === method.name);
    const good = own.filter(({ refused }) => refused === undefined);
    if (method.name in without) return [];
    return [
      ...(good.length === 0 ? [`${method.name}: no good case`] : []),
      ...(own.length === good.length ? [`${method.name}: no refused case`] : []),
      ...(isOpenEnded(method) && !(method.name in endless) && !good.some(({ take }) => take === undefined)
        ? [`${method.name}: no case that comes to its end`]
        : []),
    ];
  });
  const names = new Set(methods.map(({ name }) => name));
  const unknown = [...Object.keys(without), ...Object.keys(endless)].filter((name) => !names.has(name));
  return [...lacking, ...unknown.map((name) => `${name}: a reason for no method`)];
}

function isOpenEnded({ kind, raw }: ContractMethod): boolean {
  return kind !== "unary" && raw === undefined;
}

type Declare = (title: string, implementation: (t: ExecutionContext<ParityContext>) => Promise<void>) => void;

/** A test an area: each case by the client and by REST, or a WebSocket, has the same data or error code. */
export function parityCases(
  declare: Declare,
  title: string,
  client: ParityClient,
  plane: Plane = "external",
  takes: (one: Case) => boolean = () => true,
): void {
  const methods = new Map(methodsOf(plane).map((method) => [method.name, method]));
  for (const [area, cases] of Object.entries(casesByArea)) {
    const own = cases.filter(
      (one) => methods.has(one.method) && !(one.method in (client.without ?? {})) && takes(one),
    );
    if (own.length === 0) continue;
    declare(`${area}: ${title}`, async (t) => {
      const { url, rest, socket } = t.context;
      for (const one of own) {
        const method = methods.get(one.method)!;
        const door = method.rest.length > 0 ? rest : socket;
        const told = async (unary: Unary, stream: Streaming) =>
          comparable(method, await play(door, method, one, { unary, stream }));
        const expected = await told(
          (...given) => door.unary(...given),
          (...given) => door.stream!(...given),
        );
        const said = await told(
          (...given) => client.unary(url, ...given),
          (...given) => client.stream(url, ...given),
        );
        t.deepEqual(said, expected, `${one.method}: ${one.claim}`);
        t.is("refused" in (expected as object), one.refused !== undefined, `${one.method}: ${one.claim}`);
      }
    });
  }
}

function comparable(method: ContractMethod, outcome: Outcome): unknown {
  if (!outcome.ok) return { refused: outcome.error.errorCode };
  const { message } = outcome;
  return normal({
    ...outcome,
    message: Array.isArray(message) ? message.map((one) => dataOf(method, one)) : dataOf(method, message),
  });
}

/** Of a page its items: a client may read the others itself. Of an object its bytes: what else there is are headers. */
function dataOf(method: ContractMethod, message: unknown): unknown {
  if (method.mediaType !== undefined) return "text";
  if (method.raw !== undefined && method.kind === "server_streaming")
    return (message as { data: unknown }).data;
  const { pagination } = method;
  const whole = completed(method, message);
  return pagination === undefined ? whole : (whole as Record<string, unknown>)[pagination.itemsField];
}
