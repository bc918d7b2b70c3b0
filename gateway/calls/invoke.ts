import type { Module } from "#actors";
import { type Refusal, RefusalError } from "#base";
import type { Asker } from "#runtime";
import type { ContractMethod } from "../contract/method.ts";
import type { Roles } from "../contract/roles.ts";
import type { Call, Invoke, InvokeStream, Plane, Settle } from "./call.ts";
import { createDispatch } from "./dispatch.ts";
import type { OpenCalls } from "./open-calls.ts";
import { createPipeline, type StageObserver } from "./pipeline.ts";
import { authentication } from "./stages/authentication.ts";
import { authorization, permissionCheck } from "./stages/authorization.ts";
import type {
  CallAudit,
  PipelineParts,
  PipelineSettings,
  PipelineTelemetry,
  Providers,
} from "./stages/stage.ts";
import type { Stopping } from "./stopping.ts";
import type { Handler } from "./targets.ts";

export interface InvokeParts {
  readonly contract: { readonly methods: Iterable<ContractMethod>; readonly roles: Roles };
  readonly plane: Plane;
  readonly asker: Asker;
  readonly modules: readonly Module[];
  /** By method name: what the gateway answers itself. */
  readonly handlers: Readonly<Record<string, Handler>>;
  readonly providers: Providers;
  readonly settings: PipelineSettings;
  readonly telemetry: PipelineTelemetry;
  readonly audit?: CallAudit;
  readonly observeStage?: StageObserver;
  readonly stopping?: Stopping;
  readonly openCalls?: OpenCalls;
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
  readonly admit: (call: Call, done: (refusal: Refusal | undefined) => void) => void;
  /**
   * The same question without a trace of it, for a door that cannot hand its call on: the pipeline asks again when the message
   * is complete.
   */
  readonly refuses: (call: Call) => Promise<boolean>;
  /** For what fails in a door itself. */
  readonly log: PipelineTelemetry["log"];
}

/** The one way in: every door of a plane hands its calls to these two. */
export function createInvoke(parts: InvokeParts): Invoker {
  const methods = methodsOf(parts.contract, parts.plane);
  const pipeline = createPipeline({ ...parts, methods, roles: parts.contract.roles }, parts.observeStage);
  const may = permissionCheck({ ...parts.contract, settings: parts.settings });
  const dispatch = createDispatch({ ...parts, methods, may, again: pipeline.again });
  return {
    plane: parts.plane,
    methods,
    invoke: (call, message, done) => pipeline.unary(call, message, dispatch.unary, done),
    invokeStream: (call, messages) => pipeline.stream(call, messages, dispatch.stream),
    log: parts.telemetry.log,
    standingOf: dispatch.standingOf,
    admit: pipeline.admit,
    refuses: callerCheck({ ...parts, methods, roles: parts.contract.roles }),
    guard: async (call, message) => {
      await invoked((guarded, read, done) => pipeline.unary(guarded, read, nobody, done), call, message);
    },
  };
}

function callerCheck(parts: PipelineParts): Invoker["refuses"] {
  const stages = [authentication({ ...parts, telemetry: untold }), authorization(parts)];
  return async (call) => {
    try {
      for (const { enter } of stages) await enter?.(call, undefined);
      return false;
    } catch {
      return true;
    }
  };
}

const untold: PipelineTelemetry = {
  callStarted: () => undefined,
  callEnded: () => undefined,
  deprecatedCalled: () => undefined,
  graceAdmitted: () => undefined,
  credentialsAccepted: () => undefined,
  credentialsRefused: () => undefined,
  log: { warn: () => undefined, error: () => undefined },
};

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
