import type { FieldError } from "#base";
import type { Address } from "#runtime";

/** What audiences, integrations, layouts and providers tell one another. */

export const channels = ["email", "sms", "push", "chat", "in_app"] as const;
export type Channel = (typeof channels)[number];
export type JsonObject = Readonly<Record<string, unknown>>;

/** One message to one address, rendered. */
export interface OutboundMessage {
  /** `<delivery_id>.<generation>`: the same in every attempt, and what keyed providers are given. */
  readonly key: string;
  readonly channel: Channel;
  /** The identity of the endpoint: address, number, token, or the JSON of a push subscription. */
  readonly to: string;
  /** Of the endpoint. */
  readonly metadata: JsonObject;
  readonly subject: string;
  /** Of e-mail only. */
  readonly html?: string;
  readonly text: string;
  readonly workflowKey: string;
  /** The payload of the trigger: what webhooks are sent besides the text. */
  readonly payload: JsonObject;
  /** Of a mail: a POST there unsubscribes from such mails, as RFC 8058 says. */
  readonly unsubscribeUrl?: string;
  /** Until when it is of use. */
  readonly expiresAtMs: number;
}

/** The credentials that a provider sends with, opened. Never stored. */
export interface OutboundConnection {
  /** Of the catalogue, or of the static file. */
  readonly providerKey: string;
  /** What is not secret: host, account, address. */
  readonly config: JsonObject;
  readonly credential: JsonObject;
}

/** What came of one attempt. */
export type SendOutcome =
  | { readonly type: "accepted"; readonly providerMessageId: string }
  /** For good: another integration or another attempt gets the same answer. */
  | (Failure & { readonly type: "refused"; readonly suppress?: SuppressReason })
  /** Surely not sent: another integration may take it, or a later attempt. */
  | (Failure & { readonly type: "not_sent"; readonly retryAfterMs?: number })
  /** Bytes left, and no answer says what became of them. */
  | (Failure & { readonly type: "maybe_sent" });

interface Failure {
  readonly phase: "connect" | "provider";
  /** Upper case: NETWORK, TIMEOUT, UNAUTHORIZED, RATE_LIMITED, PROVIDER_ERROR, PROVIDER_REFUSED, EGRESS_DENIED, … */
  readonly code: string;
  /** Without secrets, at most 512 characters. */
  readonly message: string;
  readonly providerStatus?: number;
  /** `endpoint`: it says something about the address, and nothing about the integration. */
  readonly about?: "endpoint";
}

/** The endpoint is of no use any more. */
type SuppressReason = "hard_bounce" | "gone" | "invalid";

export interface Provider {
  readonly key: string;
  readonly channels: readonly Channel[];
  /** The provider takes `message.key` and performs a repeat once: it may be sent again after `maybe_sent`. */
  readonly keyed: boolean;
  /** An integration of it names a connection. */
  readonly connected: boolean;
  /** Of an integration's metadata. */
  readonly problems?: (settings: JsonObject, at: string) => FieldError[];
  /**
   * One attempt. `settings` is the integration's metadata, with the recased `overrides.<channel>.provider` of the trigger over it.
   * Never throws. `connection` is present where `connected` is true. `inbox` has no bytes to send: its audience writes rows.
   */
  send(
    message: OutboundMessage,
    settings: JsonObject,
    connection: OutboundConnection | undefined,
    signal: AbortSignal,
  ): Promise<SendOutcome>;
}

export interface Rate {
  readonly perSecond: number;
  /** At least 2: of what may leave at once, half is kept for grants that are used late. */
  readonly burst: number;
}

/** An integration as audiences copy it: what they choose by, and what an attempt needs. */
export interface IntegrationCopy {
  readonly id: string;
  readonly channel: Channel;
  readonly name: string;
  readonly providerKey: string;
  /** Empty: the provider needs none. */
  readonly connectionId: string;
  /** Lower wins; then `createdAt`, then `id`. */
  readonly priority: number;
  readonly createdAt: number;
  /** CEL; empty: it always fits. */
  readonly condition: string;
  readonly casing: Casing;
  readonly onUnknown: "hold" | "resend";
  readonly metadata: JsonObject;
  readonly rate?: Rate;
  /** Which pacing this is: wants of another one do not count. 0 where there is no rate. */
  readonly paceEpoch: number;
}

export type Casing = "none" | "snake_case" | "camelCase" | "PascalCase" | "kebab-case" | "CONSTANT_CASE";

/**
 * From the integrations to all 64 audiences, in the commit of the change, which answers once all of them have applied it. Only
 * active integrations are put; one that is deleted or set inactive is removed. What waits for a removed one is chosen anew.
 */
export interface IntegrationsChanged {
  readonly type: "integrations_changed";
  readonly put: readonly IntegrationCopy[];
  readonly removed: readonly string[];
}

/** How many audiences a tenant has. */
export const audienceCount = 64;

const digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** `S` and 7 Crockford digits. */
export const audienceKeys: readonly string[] = Array.from({ length: audienceCount }, (_, index) => {
  const low = digits[index % 32]!;
  const high = digits[Math.floor(index / 32)]!;
  return `S00000${high}${low}`;
});

export function audienceAddresses(tenant: string): readonly Address[] {
  return audienceKeys.map((key) => ({ kind: "audience", tenant, key }));
}

export function integrationsAddress(tenant: string): Address {
  return { kind: "integrations", tenant, key: "" };
}

export function layoutsAddress(tenant: string): Address {
  return { kind: "layouts", tenant, key: "" };
}

export function pacerAddress(tenant: string, integrationId: string): Address {
  return { kind: "pacer", tenant, key: integrationId };
}

/**
 * From an audience to the pacer of an integration with a `rate`: so many more deliveries wait for a grant; less than zero: so
 * many do not wait any more. A delivery that could not use its grant in time is wanted again.
 */
export interface PacerWant {
  readonly type: "pacer_want";
  readonly epoch: number;
  readonly direct: number;
  readonly broadcast: number;
}

/** From a pacer to an audience: each slot is one attempt, which begins within its time or not at all. */
export interface PacerGranted {
  readonly type: "pacer_granted";
  readonly integrationId: string;
  readonly epoch: number;
  readonly slots: readonly PacerSlot[];
}

export interface PacerSlot {
  readonly tier: "direct" | "broadcast";
  /** The effect is due at this time. */
  readonly atMs: number;
  /** From here on the slot is lost: the handler sends nothing, and the audience wants another one. */
  readonly untilMs: number;
}

/** From a workflow record to the layouts: all layouts that it names now; none: it is gone or names none. */
export interface LayoutsUsed {
  readonly type: "layouts_used";
  readonly workflowKey: string;
  readonly layoutIds: readonly string[];
}

export type Engine = "handlebars" | "liquid";

/** Without a `layout_id`, or where that layout is gone, the channel's default; without one, none. Templates see `data` only. */
export interface RenderRequest {
  readonly channel: Channel;
  readonly engine: Engine;
  readonly subject: string;
  readonly body: string;
  readonly layout_id?: string;
  /** JSON: `{payload, subscriber, workflow_key, topic_key}`. */
  readonly data: JsonObject;
}

export type Rendered =
  | { readonly type: "rendered"; readonly subject: string; readonly html?: string; readonly text: string }
  /** `retryable`: the templates may not be at fault (the pool is full, it was shut down, its thread ran out of time). */
  | {
      readonly type: "failed";
      readonly code: RenderFailure;
      readonly message: string;
      readonly retryable: boolean;
    };

export type RenderFailure =
  | "TIMEOUT"
  | "MEMORY"
  | "OUTPUT_TOO_LARGE"
  | "SOURCE_TOO_LARGE"
  | "SYNTAX"
  | "TEMPLATE_ERROR"
  | "SUBJECT_LINE_BREAK"
  | "BUSY";

export interface CheckTemplatesRequest {
  readonly templates: readonly { readonly field: string; readonly engine: Engine; readonly source: string }[];
}

/** `connection_id` is of a connection, or `static:<name>`. Refused FAILED_PRECONDITION where it is not active. */
export interface ConnectionRequest {
  readonly connection_id: string;
}
