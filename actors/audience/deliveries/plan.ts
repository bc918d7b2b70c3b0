import type { FanOutMember, Manifest } from "../../notify/manifest.ts";
import { type Channel, channels } from "../../notify/outbound/types.ts";
import {
  type ChannelDecision,
  type ConditionVariables,
  type Layer,
  resolve,
  rowOfContext,
} from "../../notify/resolve.ts";
import { type Endpoint, type Subscriber, subscriberView } from "../subscribers/record.ts";
import type { Delivery } from "./record.ts";

/** What is to become a delivery: to an address, or none with the reason why. */
interface Planned extends Pick<Delivery, "channel" | "reasonCode" | "winningLayer"> {
  readonly to?: Target;
}

type Target = Pick<
  Delivery,
  "endpointId" | "identity" | "metadata" | "endpointProvider" | "endpointConnection"
>;

/** Which channels and addresses of a subscriber a trigger uses, by its preferences of now. */
export function planFor(
  subscriber: Subscriber,
  manifest: Manifest,
  { contextKeys }: Pick<FanOutMember, "contextKeys">,
  now: number,
  only: readonly Channel[] = channelsOf(manifest),
): readonly Planned[] {
  if (!subscriber.active)
    return only.map((channel) => ({ channel, reasonCode: "subscriber_inactive", winningLayer: 0 }));
  const decisions = decisionsFor(subscriber, manifest, contextKeys, now, only);
  return decisions.flatMap(({ channel, allowed, reason_code: reasonCode, winning_layer: winningLayer }) => {
    const planned = { channel, reasonCode, winningLayer };
    if (!allowed) return [planned];
    const targets = targetsOf(subscriber, channel, manifest);
    if (targets.length > 0) return targets.map((to) => ({ ...planned, to }));
    return manifest.channels.includes(channel) ? [{ ...planned, reasonCode: "no_endpoint" }] : [];
  });
}

function channelsOf({ channels: named, content }: Manifest): readonly Channel[] {
  if (named.length > 0) return named;
  const written = channels.filter((channel) => content[channel] !== undefined);
  return written.length > 0 ? written : channels;
}

export function decisionsFor(
  subscriber: Subscriber,
  asked: Asked,
  contextKeys: readonly string[],
  now: number,
  only: readonly Channel[],
): readonly ChannelDecision[] {
  return resolve({
    layers: layersOf(subscriber, asked, contextKeys),
    channels: only,
    timezone: subscriber.profile.timezone ?? asked.timezone,
    variables: variablesOf(subscriber, asked, contextKeys),
    now,
  });
}

/** What a trigger and a preview have in common. */
export type Asked = Pick<
  Manifest,
  "workflowKey" | "topicKey" | "userId" | "environment" | "payload" | "timezone" | "layer1" | "layer2"
>;

export function variablesOf(
  subscriber: Subscriber,
  asked: Asked,
  contextKeys: readonly string[],
): ConditionVariables {
  return {
    payload: asked.payload,
    subscriber: subscriberView(subscriber),
    workflow_key: asked.workflowKey,
    topic_key: asked.topicKey,
    context_keys: contextKeys,
    user_id: asked.userId,
    environment: asked.environment,
  };
}

function layersOf(subscriber: Subscriber, asked: Asked, contextKeys: readonly string[]): readonly Layer[] {
  const { workflowKey, topicKey } = asked;
  const { preferences } = subscriber;
  const global = preferences.find((row) => row.workflowKey === undefined);
  const ofWorkflow = preferences.filter((row) => row.workflowKey === workflowKey);
  const workflow = ofWorkflow.find((row) => row.topicKey === undefined);
  const ofTopic = ofWorkflow.filter((row) => row.topicKey !== undefined && row.topicKey === topicKey);
  return [
    asked.layer1,
    asked.layer2,
    global?.settings ?? null,
    workflow?.settings ?? null,
    topicKey === "" ? undefined : (rowOfContext(ofTopic, contextKeys)?.settings ?? null),
  ];
}

/** Active endpoints that are not suppressed; else what the profile has. A confirmation is for its endpoint only. */
export function targetsOf(
  subscriber: Subscriber,
  channel: Channel,
  { requireVerified, confirm }: Pick<Manifest, "requireVerified" | "confirm">,
): readonly Target[] {
  const own = subscriber.endpoints.filter((endpoint) => endpoint.channel === channel);
  if (confirm)
    return own.filter((one) => one.id === confirm.endpointId && isUsable(one, false)).map(targetOf);
  const good = own.filter((endpoint) => isUsable(endpoint, requireVerified));
  if (good.length > 0) return good.map(targetOf);
  if (channel === "in_app") return [profileTarget(subscriber.externalId)];
  const { email, phone } = subscriber.profile;
  const identity = channel === "email" ? email : channel === "sms" ? phone : undefined;
  if (identity === undefined || requireVerified) return [];
  // The profile's address is not used where an endpoint has the same one: that endpoint was removed or suppressed.
  return own.some((endpoint) => endpoint.identity === identity) ? [] : [profileTarget(identity)];
}

function isUsable({ active, suppressed, verified }: Endpoint, requireVerified: boolean): boolean {
  return active && !suppressed && (verified || !requireVerified);
}

function targetOf(endpoint: Endpoint): Target {
  return {
    endpointId: endpoint.id,
    identity: endpoint.identity,
    metadata: endpoint.metadata,
    endpointProvider: endpoint.providerKey,
    endpointConnection: endpoint.connectionId ?? "",
  };
}

function profileTarget(identity: string): Target {
  return { endpointId: "", identity, metadata: {}, endpointProvider: "", endpointConnection: "" };
}
