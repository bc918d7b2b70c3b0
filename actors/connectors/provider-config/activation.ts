import { digestOf, type Refusal, refuse } from "#base";
import type { Context, Decision } from "#runtime";
import { type ActivationMessage, answerTo, type Blocking, type Said } from "../../kit/activation.ts";
import { decideStep, goneAnswer, versionFor, versionsRead } from "../../kit/activation-record.ts";
import { nextRecord } from "../../kit/record.ts";
import { type ConfigContent, type Event, type ProviderConfig, versions } from "./state.ts";

/** A step of a promotion. It is never refused: the candidate waits for an answer, also of a provider config that is gone. */
export function decideActivation(
  record: ProviderConfig | undefined,
  message: ActivationMessage,
  context: Context,
): Decision<Event> {
  if (record?.id !== message.targetId)
    return { events: answerEvents(message, goneAnswer(message, "provider config")) };
  const needed = versionsRead(message, record.activeVersion);
  context.prefetch(needed.map((version) => ({ collection: versions, key: [version] })));
  const read = (version: number) => context.get(versions, [version]) ?? undefined;
  const { environment, activeVersion: active, governed = {} } = record;
  const outcome = decideStep(
    {
      environment,
      active,
      governed,
      digestOf(version) {
        const content = read(version);
        return content && contentDigest(content);
      },
      blocking: blockingOf(record, message, read),
    },
    message,
    context.now,
  );
  const events: Event[] = [];
  if (outcome.governed) {
    const content = outcome.active === undefined ? undefined : read(outcome.active);
    const next = { ...record, governed: outcome.governed, ...(content && inForce(record, content)) };
    const changed = { ...next, activeVersion: outcome.active ?? active };
    events.push({
      type: "put",
      record: content ? (nextRecord(record, changed, context.now) ?? changed) : changed,
    });
  }
  return { events: [...events, ...answerEvents(message, outcome.said)] };
}

/** Its secret stays: a version is promoted only with the one that is encrypted now. */
function inForce({ clientSecret, credentialVersion }: ProviderConfig, content: ConfigContent): ConfigContent {
  return { ...content, clientSecret, credentialVersion };
}

function blockingOf(
  record: ProviderConfig,
  { artifacts }: ActivationMessage,
  read: (version: number) => ConfigContent | undefined,
): readonly Blocking[] {
  const blocking: Blocking[] = [];
  const { status, credentialVersion } = record;
  if (status !== "active")
    blocking.push({ reason: "DEPENDENCY_INACTIVE", detail: `the provider config is ${status}` });
  const content = read(artifacts[0]!.version);
  if (content && content.credentialVersion !== credentialVersion)
    blocking.push({
      reason: "CONFIG_INVALID",
      detail: `it is of credential version ${content.credentialVersion}, and ${credentialVersion} is in force`,
    });
  return blocking;
}

/** Everything but the secret itself. */
export function contentDigest({
  clientId,
  scopes,
  config,
  allowedReturnOrigins,
  credentialVersion,
}: ConfigContent): string {
  return digestOf({
    client_id: clientId,
    scopes,
    config,
    allowed_return_origins: allowedReturnOrigins,
    credential_version: credentialVersion,
  });
}

/** The record as this connection uses it: of a canary that has the connection, with the content of its version. */
export function recordFor(record: ProviderConfig, connectionId: string, context: Context): ProviderConfig {
  const { governed = {}, activeVersion } = record;
  const version = versionFor(governed, activeVersion, connectionId, context.now);
  if (version === activeVersion) return record;
  const content = context.get(versions, [version]);
  return content ? { ...record, ...inForce(record, content) } : record;
}

function answerEvents(message: ActivationMessage, said: Said): readonly Event[] {
  const answer = answerTo(message, said);
  return answer ? [{ type: "answered", ...answer }] : [];
}

/** Why its content cannot be changed directly now. */
export function refuseDirect({ governed }: ProviderConfig): Refusal | undefined {
  if (governed?.prepared === undefined) return undefined;
  return refuse(
    "FAILED_PRECONDITION",
    `the provider config cannot be changed: promotion ${governed.prepared} is about to change it`,
    { reason: "GOVERNED" },
  );
}
