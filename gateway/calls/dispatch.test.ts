import test from "ava";
import { RefusalError, refuse } from "#base";
import { loadContract } from "../contract/index.ts";
import type { Call } from "./call.ts";
import { CallerGone } from "./cancellation.ts";
import { createDispatch } from "./dispatch.ts";
import type { OpenCalls } from "./open-calls.ts";

const { methods } = loadContract();
const named = (name: string) => methods.find((method) => method.name === name)!;
const denied = new RefusalError(refuse("UNAUTHENTICATED", "the key was revoked"));

function callOf(name: string, more: Partial<Call> = {}): Call {
  const now = Date.now();
  return {
    method: named(name),
    principal: { kind: "api_key", subject: "api_key:k", roles: [], environmentMode: "any" },
    headers: { get: () => undefined },
    startedAtMs: now,
    deadlineMs: now + 25_000,
    signal: new AbortController().signal,
    cancellation: new CallerGone(),
    hurry: () => undefined,
    ...more,
  } as unknown as Call;
}

const withoutActor = methods.filter(({ actor }) => actor === undefined);
const waiting = Object.fromEntries(
  withoutActor
    .filter(({ kind }) => kind === "unary")
    .map(({ name }) => [name, () => new Promise<never>(() => undefined)]),
);
const streams = Object.fromEntries(
  withoutActor.filter(({ kind }) => kind !== "unary").map(({ name }) => [name, async function* () {}]),
) as never;

function start() {
  const open = new Set<() => void>();
  const openCalls = {
    doubt: () => undefined,
    add(_subject: string, look: () => void) {
      open.add(look);
      return () => void open.delete(look);
    },
  } as unknown as OpenCalls;
  const dispatch = createDispatch({
    methods,
    asker: { ask: () => undefined } as never,
    modules: [{ name: "all", actors: [], orchestrations: waiting, streams }],
    handlers: {},
    providers: {},
    openCalls,
    again: () => Promise.reject(denied),
    may: () => true,
  });
  return { dispatch, open };
}

test("a stream whose caller left while the stages looked at it is not watched", (t) => {
  const { dispatch, open } = start();
  const signal = AbortSignal.abort();
  for (let n = 0; n < 100; n++)
    dispatch.stream(callOf("QueueService.Work", { signal }), (async function* () {})());
  t.is(open.size, 0);
  dispatch.stream(callOf("QueueService.Work"), (async function* () {})());
  t.is(open.size, 1);
});

test("a write that waits for its result is not refused for what became of its credential; a wait that hands something out is", async (t) => {
  const watched: string[] = [];
  for (const method of withoutActor.filter(({ wait, kind }) => wait !== undefined && kind === "unary")) {
    const { dispatch, open } = start();
    const told = new Promise((resolve) => dispatch.unary(callOf(method.name), {}, resolve));
    if (open.size === 0) continue;
    watched.push(method.name);
    t.deepEqual(await told, denied);
  }
  t.true(watched.length > 0);
  for (const name of [
    "NotificationService.Trigger",
    "ConnectorService.ExecuteAction",
    "ConnectionService.VerifyConnection",
    "ConnectSessionService.SubmitConnectSession",
  ])
    t.false(watched.includes(name), name);
});
