import { limits, RefusalError } from "#base";
import type { EffectRun } from "#runtime";
import { TemplateError } from "../../cel/template.ts";
import { evaluate, render, rendering } from "../catalogue/template.ts";
import type { TriggerFile } from "../catalogue/types.ts";
import { pollState, resolve, unseen } from "../connection/methods.ts";
import { eventOf, passes } from "../hooks/event.ts";
import type { Parts } from "../parts.ts";
import type { PollResult } from "../subscription/incoming.ts";
import type { Incoming, Polling, Subscription } from "../subscription/record.ts";
import { configOf, inside, openCredentials } from "./known.ts";
import { performRead } from "./perform.ts";

export interface PollBody {
  readonly subscription: string;
}

/** Asks a provider for its list, and answers with what is new in it. */
export async function poll(parts: Parts, run: EffectRun<PollBody>): Promise<PollResult> {
  const { subscription: id } = run.body;
  try {
    return await polledList(parts, run, await inside(parts, run, pollState, { id }));
  } catch (error) {
    if (error instanceof TemplateError) return failed(error.message);
    if (!(error instanceof RefusalError)) throw error;
    const { code, reason, detail } = error.refusal;
    return code === "NOT_FOUND" ? { type: "gone" } : failed(`${reason ?? code}: ${detail}`);
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
    return failed(`${subscription.triggerKey} cannot be polled any more`);
  const record = await inside(parts, run, resolve, {});
  const { status, config } = await configOf(parts, run, record);
  if (status !== "active") return failed(`the provider config is ${status}`);
  const { file } = trigger;
  const given = { config: subscription.config, cursor: polling.cursor };
  const at = { config, now: parts.clock.now() };
  const input = render(file.input ?? {}, rendering("request", { ...at, input: given }));
  if (!action.validateInput(input))
    return failed("the config of the subscription makes no input of the action");
  const auth = action.provider.file.auth[record.auth];
  const credential = openCredentials(parts, record);
  if (credential === undefined || auth === undefined) return failed("the credentials cannot be decrypted");
  const credentialVersion = record.credentials.version;
  const values = { ...at, input };
  const result = await performRead(parts, run, { action, auth, values, credential, credentialVersion });
  if (result.type === "failed") return failed(`${result.code}: ${result.message}`);
  if (result.type !== "succeeded") return failed("the provider gave no answer");
  const { output: response, outputInvalid } = result;
  if (response === null && outputInvalid)
    return failed(`the list is longer than ${limits.executionOutputBytesMax} bytes`);
  const answered = rendering("response", { ...at, input: given, response });
  const cursor = file.cursor === undefined ? null : evaluate(file.cursor, answered);
  const items = evaluate(file.items!, answered);
  if (!Array.isArray(items)) return failed(`${file.items} is no list`);
  const events = incomingOf(file, items, subscription.filter);
  return newOnes(parts, run, { id: subscription.id, events, cursor, polling });
}

function failed(reason: string): PollResult {
  return { type: "failed", reason };
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

interface Found {
  /** Of the subscription. */
  readonly id: string;
  readonly events: readonly Incoming[];
  readonly cursor: unknown;
  readonly polling: Polling;
}

/** As many as fit one commit. The cursor moves only past what is in it. */
async function newOnes(
  parts: Parts,
  run: EffectRun,
  { id, events, cursor, polling }: Found,
): Promise<PollResult> {
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
