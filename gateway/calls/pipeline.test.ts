import test from "ava";
import { type Refusal, refuse } from "#base";
import { quietTelemetry, testSettings } from "../../test/contract/support/parts.ts";
import type { ContractMethod } from "../contract/index.ts";
import { rolesOf } from "../contract/roles.ts";
import { Call, type Settle } from "./call.ts";
import { createPipeline } from "./pipeline.ts";
import type { PipelineTelemetry, Providers } from "./stages/stage.ts";

const method = {
  name: "Some.Method",
  kind: "unary",
  governance: { authenticationRequired: true, authorizationRequired: false, scopes: [] },
  validate: () => undefined,
} as unknown as ContractMethod;

interface Parts {
  readonly telemetry?: Partial<PipelineTelemetry>;
  readonly providers?: Providers;
  readonly authEnabled?: boolean;
}

/** How a call ends that passes the pipeline around `handle`. */
function pass(handle: (call: Call, message: unknown, settle: Settle) => void, parts: Parts = {}) {
  const pipeline = createPipeline({
    plane: "external",
    methods: [method],
    roles: rolesOf([]),
    settings: { ...testSettings, authEnabled: parts.authEnabled ?? false },
    providers: parts.providers ?? {},
    telemetry: { ...quietTelemetry, ...parts.telemetry },
  });
  const source = {
    headers: { get: (name: string) => (name === "x-api-key" ? "key" : undefined) },
    signal: new AbortController().signal,
  };
  const call = new Call({ method, plane: "external", protocol: "rest", source });
  return new Promise<{ refusal: Refusal | undefined; response: unknown }>((resolve) => {
    pipeline.unary(call, {}, handle, (refusal, response) => resolve({ refusal, response }));
  });
}

const answer = (_call: Call, _message: unknown, settle: Settle) => settle(undefined, "answer");

test("a stage that fails while it is left: the caller is answered all the same, and masked", async (t) => {
  const logged: object[] = [];
  const telemetry = {
    callEnded: () => {
      throw new Error("secret");
    },
    log: { warn: () => undefined, error: (fields: object) => logged.push(fields) },
  };
  const { refusal } = await pass(answer, { telemetry });
  t.is(refusal?.code, "INTERNAL");
  t.notRegex(refusal!.detail, /secret/);
  t.is(logged.length, 1);
});

test("a stage that waits holds the call up, and refuses it where its wait fails", async (t) => {
  const principal = {
    kind: "api_key",
    subject: "s",
    tenant: "t",
    roles: [],
    environmentMode: "any",
  } as const;
  const good = { apiKey: { authenticate: async () => principal } };
  const bad = { apiKey: { authenticate: () => Promise.reject(refuse("UNAUTHENTICATED", "no")) } };
  t.is((await pass(answer, { authEnabled: true, providers: good })).response, "answer");
  t.is((await pass(answer, { authEnabled: true, providers: bad })).refusal?.code, "UNAUTHENTICATED");
});

test("what a handler refuses or throws comes out as a refusal", async (t) => {
  const refusing = await pass((_call, _message, settle) => settle(refuse("NOT_FOUND", "gone"), undefined));
  t.is(refusing.refusal?.code, "NOT_FOUND");
  const throwing = await pass((_call, _message, settle) => settle(new Error("bug"), undefined));
  t.is(throwing.refusal?.code, "INTERNAL");
});
