import { limits, RefusalError } from "#base";
import type { EffectRun } from "#runtime";
import { TemplateError } from "../../cel/template.ts";
import { evaluate, render, rendering } from "../catalogue/template.ts";
import type { Action, TriggerFile } from "../catalogue/types.ts";
import { pollState, resolve, unseen } from "../connection/methods.ts";
import type { Connection } from "../connection/record.ts";
import { eventOf, passes } from "../hooks/event.ts";
import type { Parts } from "../parts.ts";
import type { PollResult } from "../subscription/incoming.ts";
import type { Incoming, Polling, Subscription } from "../subscription/record.ts";
import { configOf, openCredentials } from "./credentials.ts";
import { inside } from "./inside.ts";
import { performRead } from "./perform.ts";

/** Asks a provider for its list, and answers with what is new in it. */
export async function poll(parts: Parts, run: EffectRun): Promise<PollResult> {
  const { subscription: id } = run.body as { subscription: string };
  try {
    return await polledList(parts, run, await inside(parts, run, pollState, { id }));
  } catch (error) {
    if (error instanceof TemplateError) return { type: "failed", reason: error.message };
    if (!(error instanceof RefusalError)) throw error;
    const { code, reason, detail } = error.refusal;
    return code === "NOT_FOUND"
      ? { type: "gone" }
      : { type: "failed", reason: `${reason ?? code}: ${detail}` };
  }
}

async function polledList(
  parts: Parts,
  run: EffectRun,
  { subscription, polling }: { readonly subscription: Subscription; readonly polling: Polling },
): Promise<PollResult> {
  const trigger = parts.catalogue().triggers.get(subscription.triggerKey);
  const action = trigger && parts.catalogue().actions.get(`${trigger.provider.key}.${trigger.file.action}`);
  if (trigger === undefined || action?.runtimeStatus !== "executable")
    return { type: "failed", reason: `${subscription.triggerKey} cannot be polled any more` };
  const record = await inside(parts, run, resolve, {});
  const config = await configOf(parts, run, record);
  if (config.status !== "active")
    return { type: "failed", reason: `the provider config is ${config.status}` };
  const given = { config: subscription.config, cursor: polling.cursor };
  const values = { config: config.config, now: parts.clock.now() };
  const input = render(trigger.file.input ?? {}, rendering("request", { ...values, input: given }));
  if (!action.validateInput(input))
    return { type: "failed", reason: "the config of the subscription makes no input of the action" };
  const answer = await called(parts, run, record, action, { ...values, input });
  if ("reason" in answer) return { type: "failed", reason: answer.reason };
  const at = rendering("response", { ...values, input: given, response: answer.output });
  const cursor = trigger.file.cursor === undefined ? null : evaluate(trigger.file.cursor, at);
  const items = evaluate(trigger.file.items!, at);
  if (!Array.isArray(items)) return { type: "failed", reason: `${trigger.file.items} is no list` };
  const events = incomingOf(trigger.file, items, subscription.filter);
  return newOnes(parts, run, { events, cursor, polling });
}

async function called(
  parts: Parts,
  run: EffectRun,
  record: Connection,
  action: Action,
  values: { readonly input: unknown; readonly config: unknown; readonly now: number },
): Promise<{ readonly output: unknown } | { readonly reason: string }> {
  const auth = action.provider.file.auth[record.auth];
  const credential = openCredentials(parts, record);
  if (credential === undefined || auth === undefined)
    return { reason: "the credentials cannot be decrypted" };
  const credentialVersion = record.credentials.version;
  const result = await performRead(parts, run, { action, auth, values, credential, credentialVersion });
  if (result.type === "succeeded" && result.output === null && result.outputInvalid)
    return { reason: `the list is longer than ${limits.executionOutputBytesMax} bytes` };
  if (result.type === "succeeded") return { output: result.output };
  return {
    reason: result.type === "failed" ? `${result.code}: ${result.message}` : "the provider gave no answer",
  };
}

/** An element without an id, or one that is too large, is left out: it could never be delivered exactly once. */
function incomingOf(file: TriggerFile, items: readonly unknown[], filter: string): Incoming[] {
  const events = new Map<string, Incoming>();
  for (const item of items) {
    if (Buffer.byteLength(JSON.stringify(item)) > limits.triggerEventBytesMax) continue;
    const event = eventOf(file, item);
    if (passes(filter, event)) events.set(event.id, event);
  }
  return [...events.values()];
}

/** As many as fit one commit. The cursor moves only past what is in it. */
async function newOnes(
  parts: Parts,
  run: EffectRun,
  { events, cursor, polling }: { events: readonly Incoming[]; cursor: unknown; polling: Polling },
): Promise<PollResult> {
  const { subscription: id } = run.body as { subscription: string };
  const event_ids = events.map((event) => event.id);
  const isNew = new Set((await inside(parts, run, unseen, { id, event_ids })).unseen);
  const fresh = events.filter((event) => isNew.has(event.id));
  const taken: Incoming[] = [];
  let bytes = 0;
  for (const event of fresh) {
    bytes += Buffer.byteLength(JSON.stringify(event.event));
    if (taken.length >= limits.pollEventsMax || (bytes > limits.pollEventsBytesMax && taken.length > 0))
      break;
    // What is there at first is only known by its id.
    taken.push(polling.baseline ? { ...event, event: null } : event);
  }
  const more = taken.length < fresh.length;
  const known = event_ids.filter((eventId) => !isNew.has(eventId));
  return { type: "polled", events: taken, known, cursor: more ? polling.cursor : cursor, more };
}
