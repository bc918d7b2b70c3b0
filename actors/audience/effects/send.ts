import { limits, type RefusalError } from "#base";
import type { EffectHandlers, EffectRun } from "#runtime";
import { askAs } from "../../kit/ask.ts";
import { SharedQuestions } from "../../kit/shared-questions.ts";
import type { Content, Manifest } from "../../notify/manifest.ts";
import { integrationConnection, renderMessage } from "../../notify/outbound/methods.ts";
import type {
  ConnectionRequest,
  JsonObject,
  OutboundConnection,
  OutboundMessage,
  Provider,
  Rendered,
  RenderRequest,
} from "../../notify/outbound/types.ts";
import type { ModuleParts } from "../../parts.ts";
import type { SendResult } from "../deliveries/dispatch.ts";
import {
  type SendBody,
  type SendRow,
  sendBodyOf,
  sendEffect,
  sendFewEffect,
} from "../deliveries/send-body.ts";
import { getManifest } from "../methods.ts";
import { LinkAddresses } from "./addresses.ts";
import { type Attempted, Breaker } from "./breaker.ts";
import { recased } from "./casing.ts";
import type { Manifests } from "./manifests.ts";

type Parts = Pick<ModuleParts, "call" | "clock" | "metrics" | "settings"> & {
  readonly providers: ReadonlyMap<string, Provider>;
  readonly manifests: Manifests;
};

/** One attempt: renders, opens the connection, and calls the provider. The key is the same in every attempt of a generation. */
export function sendEffects(parts: Parts): EffectHandlers {
  const sender = new Sender(parts);
  const run = (one: EffectRun<SendRow>) => sender.run(one);
  return {
    [sendEffect]: { run, laneMax: limits.integrationRunningMax },
    [sendFewEffect]: { run, laneMax: limits.smtpLaneMax },
  };
}

class Sender {
  readonly #parts: Parts;
  readonly #breaker: Breaker;
  readonly #links: LinkAddresses;
  readonly #connections = new SharedQuestions<OutboundConnection>();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#breaker = new Breaker(parts.clock);
    this.#links = new LinkAddresses(parts);
  }

  async run(run: EffectRun<SendRow>): Promise<SendResult> {
    const body = sendBodyOf(run.body);
    const result = await this.#attempt(run, body);
    const { channel, integration } = body;
    this.#breaker.note(attemptedOf(run, body), result);
    this.#parts.metrics.add("service_notification_attempts_total", {
      channel,
      provider: integration.providerKey,
      result: result.type,
    });
    return result;
  }

  async #attempt(run: EffectRun, body: SendBody): Promise<SendResult> {
    const { integration } = body;
    const provider = this.#parts.providers.get(integration.providerKey);
    if (!provider)
      return notSent("connect", "PROVIDER_MISSING", `there is no provider ${integration.providerKey} here`);
    if (run.begun && !provider.keyed)
      return {
        type: "maybe_sent",
        phase: "provider",
        code: "INTERRUPTED",
        message: "the service stopped while it was sent",
        keyed: false,
      };
    const waitMs = this.#breaker.waitMs(attemptedOf(run, body));
    if (waitMs > 0) return { type: "breaker_open", waitMs };
    const stored = await this.#manifestOf(run, body);
    if (!stored)
      return { type: "unrendered", code: "FORGOTTEN", message: "its content is gone", retryable: false };
    const links = await this.#links.of(run, body, stored);
    const manifest = links.confirm === undefined ? stored : withConfirmation(stored, links.confirm);
    const rendered = await this.#render(run, body, manifest);
    if (rendered.type === "failed") {
      const { code, message, retryable } = rendered;
      return { type: "unrendered", code, message, retryable };
    }
    const connection = await this.#connect(run, body, provider);
    if (connection !== undefined && "type" in connection) return connection;
    const settings = { ...integration.metadata, ...recased(overrideOf(body, manifest), integration.casing) };
    if (!provider.keyed) await run.begin();
    // After the mark: the commit of the mark may take longer than the slot.
    if (body.untilMs !== 0 && this.#parts.clock.now() >= body.untilMs) return { type: "slot_lost" };
    const message = {
      ...messageOf(body, manifest, rendered),
      ...(links.unsubscribe && { unsubscribeUrl: links.unsubscribe }),
    };
    const outcome = await provider.send(message, settings, connection, run.signal);
    if (outcome.type === "maybe_sent") return { ...outcome, keyed: provider.keyed };
    if (outcome.type !== "accepted" || provider.key !== "inbox") return outcome;
    const { subject, text } = rendered;
    return { ...outcome, inbox: { subject, body: text, data: overrideOf(body, manifest) } };
  }

  /** The same for all deliveries of a transaction: asked for once by this thread. */
  async #manifestOf(run: EffectRun, { transactionId }: SendBody): Promise<Manifest | null> {
    const { tenant, key } = run.address;
    const { manifests } = this.#parts;
    const known = manifests.get(tenant, transactionId);
    if (known) return known;
    const asked = { key, request: { transactionId } };
    const { manifest } = await askAs(this.#parts.call, getManifest, asked, asModule(run));
    if (manifest) manifests.asked(tenant, manifest);
    return manifest;
  }

  async #render(run: EffectRun, body: SendBody, manifest: Manifest): Promise<Rendered> {
    const request = renderRequestOf(body, manifest);
    if (!request)
      return {
        type: "failed",
        code: "NO_CONTENT" as never,
        message: "the workflow, the overrides and the payload have no content for this channel",
        retryable: false,
      };
    return askAs(this.#parts.call, renderMessage, { request }, asModule(run));
  }

  /** Nothing where the provider needs none; a failure where it cannot be opened. */
  async #connect(
    run: EffectRun,
    { integration }: SendBody,
    { connected }: Provider,
  ): Promise<OutboundConnection | undefined | ReturnType<typeof notSent>> {
    if (!connected) return undefined;
    const request: ConnectionRequest = { connection_id: integration.connectionId };
    try {
      const { tenant } = run.address;
      return await this.#connections.ask(`${tenant}/${integration.connectionId}`, async () => {
        // Of all that share it: it does not end with one of them.
        const { signal: _, ...as } = asModule(run);
        return askAs(this.#parts.call, integrationConnection, { request }, as);
      });
    } catch (error) {
      const { refusal } = error as Partial<RefusalError>;
      if (!refusal) throw error;
      return notSent("connect", refusal.reason ?? refusal.code, refusal.detail, refusal.retryAfterMs);
    }
  }
}

function attemptedOf({ address }: EffectRun, { integration, to }: SendBody): Attempted {
  return { tenant: address.tenant, integration: integration.id, to };
}

function notSent(phase: "connect", code: string, message: string, retryAfterMs?: number) {
  return {
    type: "not_sent" as const,
    phase,
    code,
    message,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}

function asModule({ address, id, attempt, signal }: EffectRun) {
  return { tenant: address.tenant, subject: "notifications", key: `${id}.${attempt}`, signal };
}

/** What the caller overrides comes first, then the workflow, then the payload. Texts of a caller are no templates. */
function renderRequestOf(body: SendBody, manifest: Manifest): RenderRequest | undefined {
  const { channel, subscriber } = body;
  const { payload, overrides, workflowKey: workflow_key, topicKey: topic_key } = manifest;
  const content: Content | undefined = manifest.content[channel];
  const given = overrides[channel] ?? {};
  const ownSubject = given.subject ?? (content ? undefined : textOf(payload.subject));
  const ownBody = given.body ?? (content ? undefined : textOf(payload.body));
  if (content === undefined && ownBody === undefined) return undefined;
  const layout = content?.layoutId === undefined ? {} : { layout_id: content.layoutId };
  // A text that the caller gives is data of a template that only prints it.
  const engine = content?.engine ?? "handlebars";
  const printed = {
    handlebars: (name: string) => `{{ ${name} }}`,
    liquid: (name: string) => `{{ ${name} }}`,
  };
  return {
    channel,
    engine,
    subject: ownSubject === undefined ? (content?.subject ?? "") : printed[engine]("given_subject"),
    body: ownBody === undefined ? (content?.body ?? "") : printed[engine]("given_body"),
    ...layout,
    data: {
      payload,
      subscriber,
      workflow_key,
      topic_key,
      ...(ownSubject !== undefined && { given_subject: ownSubject }),
      ...(ownBody !== undefined && { given_body: ownBody }),
    },
  };
}

/** The workflow's own words say where `payload.confirm_url` stands; without any there are these. */
function withConfirmation(manifest: Manifest, confirm_url: string): Manifest {
  const body = `Please confirm that this address is yours: ${confirm_url}`;
  return { ...manifest, payload: { subject: "Please confirm your address", body, confirm_url } };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function overrideOf({ channel }: SendBody, { overrides }: Manifest): JsonObject {
  return overrides[channel]?.provider ?? {};
}

function messageOf(
  body: SendBody,
  { payload, workflowKey }: Manifest,
  { subject, html, text }: Extract<Rendered, { type: "rendered" }>,
): OutboundMessage {
  return {
    key: body.key,
    channel: body.channel,
    to: body.to,
    metadata: body.metadata,
    subject,
    ...(html !== undefined && { html }),
    text,
    workflowKey,
    payload,
    expiresAtMs: body.expiresAt,
  };
}
