import { RefusalError } from "#base";
import type { ContractMethod } from "../contract/method.ts";
import type { Roles } from "../contract/roles.ts";
import type { Call, Invoke, InvokeStream, Plane, Settle } from "./call.ts";
import { createDispatch, type DispatchParts } from "./dispatch.ts";
import { createPipeline, type Pipeline, type StageObserver } from "./pipeline.ts";
import { contractIdLength } from "./stages/api-version.ts";
import { methodCheck, permissionCheck } from "./stages/authorization.ts";
import type { PipelineParts, PipelineTelemetry } from "./stages/stage.ts";

type Answering = Pick<DispatchParts, "asker" | "modules" | "handlers" | "stopping" | "openCalls">;

export interface InvokeParts extends Omit<PipelineParts, "methods" | "roles" | "contractId">, Answering {
  readonly contract: {
    readonly methods: Iterable<ContractMethod>;
    readonly roles: Roles;
    readonly sha256?: string;
  };
  readonly observeStage?: StageObserver;
}

export interface Invoker {
  readonly plane: Plane;
  /** What this plane serves: doors register these and no others. */
  readonly methods: readonly ContractMethod[];
  readonly invoke: Invoke;
  readonly invokeStream: InvokeStream;
  /** The pipeline alone, without a handler: may this call be made? Throws RefusalError. */
  readonly guard: (call: Call, message: unknown) => Promise<void>;
  /** For a stream that a door answers itself: `cut` when its caller would not be let in any more. Stop it at the stream's end. */
  readonly standingOf: (call: Call, cut: (refusal: RefusalError) => void) => { stop(): void };
  /** Whether the caller may make this call, before its body is read. An admitted call goes on in one of the three above. */
  readonly admit: Pipeline["admit"];
  /**
   * The same question without a trace of it, for a door that cannot hand its call on: the pipeline asks again when the message
   * is complete.
   */
  readonly refuses: (call: Call) => Promise<boolean>;
  /** Whether this principal may call the method, as far as roles and scopes say. */
  readonly mayCall: (call: Pick<Call, "method" | "principal">) => boolean;
  /** For what fails in a door itself. */
  readonly log: PipelineTelemetry["log"];
}

/** The one way in: every door of a plane hands its calls to these two. */
export function createInvoke(parts: InvokeParts): Invoker {
  const methods = methodsOf(parts.contract, parts.plane);
  const { roles, sha256 } = parts.contract;
  const served = {
    methods,
    roles,
    ...(sha256 !== undefined && { contractId: sha256.slice(0, contractIdLength) }),
  };
  const pipeline = createPipeline({ ...parts, ...served }, parts.observeStage);
  const may = permissionCheck({ ...parts.contract, settings: parts.settings });
  const check = methodCheck({ methods, roles: parts.contract.roles, settings: parts.settings });
  const dispatch = createDispatch({ ...parts, methods, may, again: pipeline.again });
  return {
    plane: parts.plane,
    methods,
    invoke: (call, message, done) => pipeline.unary(call, message, dispatch.unary, done),
    invokeStream: (call, messages) => pipeline.stream(call, messages, dispatch.stream),
    log: parts.telemetry.log,
    mayCall: (call) => !isRefused(() => check(call)),
    standingOf: dispatch.standingOf,
    admit: pipeline.admit,
    refuses: (call) =>
      pipeline.again(call).then(
        () => false,
        () => true,
      ),
    guard: async (call, message) => {
      await invoked((guarded, read, done) => pipeline.unary(guarded, read, nobody, done), call, message);
    },
  };
}

function isRefused(check: () => void): boolean {
  try {
    check();
    return false;
  } catch {
    return true;
  }
}

const nobody = (_call: Call, _message: unknown, settle: Settle) => settle(undefined, undefined);

/** For doors that wait: what `invoke` tells. Throws RefusalError. */
export function invoked(invoke: Invoke, call: Call, message: unknown): Promise<unknown> {
  return new Promise((resolve, reject) => {
    invoke(call, message, (refusal, response) => {
      if (refusal === undefined) resolve(response);
      else reject(new RefusalError(refusal));
    });
  });
}

/** Internal-only methods are not even registered on the external plane: there they do not exist. */
function methodsOf(contract: InvokeParts["contract"], plane: Plane): readonly ContractMethod[] {
  return [...contract.methods].filter(
    ({ governance }) =>
      governance.lifecycle !== "disabled" && (plane === "internal" || !governance.internalOnly),
  );
}
