import { createHash } from "node:crypto";
import { invalid, limits, type Refusal, toRfc3339 } from "#base";
import type { Governed } from "../../kit/activation-record.ts";
import { canonical } from "../../kit/json-schema.ts";
import { type Message, type Owned, stampsOf } from "../../kit/record.ts";
import type { Body } from "../body/body.ts";
import type { Problem } from "../body/problem.ts";

/** A definition as it is stored; its versions have rows of their own. */
export interface Definition extends Owned {
  readonly key: string;
  readonly name: string;
  readonly archived: boolean;
  readonly draft: Message;
  readonly problems: readonly Problem[];
  /** The version that runs begin with; 0: there is none. */
  readonly active: number;
  /** How many versions there are. */
  readonly latest: number;
  /** Of the newest version. */
  readonly digest: string;
  /** A version that was active says something for notifications: the notice of its key belongs to this definition. */
  readonly notices?: true;
  /** Absent: no promotion has had to do with it. */
  readonly governed?: Governed;
}

/** Never changes. */
export interface Version {
  readonly version: number;
  readonly digest: string;
  readonly body: Body;
  readonly publishedBy: string;
  /** Who answers for the publisher: cannot approve a promotion of it. */
  readonly owner: string;
  readonly publishedAt: number;
}

/** From the directory to the definition that it makes. */
export interface DefinitionCreation {
  readonly type: "create";
  readonly definition: Definition;
}

export const definitionKind = "workflow_definition";

export type Status = "draft" | "published" | "archived";

export function statusOf({ archived, latest }: Pick<Definition, "archived" | "latest">): Status {
  if (archived) return "archived";
  return latest > 0 ? "published" : "draft";
}

/** `whole`: with what lists leave out. */
export function definitionMessage(definition: Definition, whole = true): Message {
  const { id, key, name, draft, problems, active, latest, tenant, environment } = definition;
  return {
    id,
    key,
    name,
    status: statusOf(definition),
    ...(whole && { draft, problems }),
    ...(active > 0 && { active_version: active }),
    ...(latest > 0 && { latest_version: latest }),
    tenant_id: tenant,
    environment,
    ...stampsOf(definition),
  };
}

export function versionMessage(
  id: string,
  { version, digest, body, publishedBy, publishedAt }: Version,
  whole: boolean,
) {
  return {
    definition_id: id,
    version,
    digest,
    ...(whole && { body }),
    published_by: publishedBy,
    published_at: toRfc3339(publishedAt),
  };
}

export function digestOf(body: Message): string {
  return createHash("sha256").update(canonical(body)).digest("hex");
}

export function tooLarge(draft: Message): Refusal | undefined {
  const bytes = Buffer.byteLength(JSON.stringify(draft));
  if (bytes <= limits.workflowBodyBytesMax) return undefined;
  return invalid({ field: "draft", reason: `has ${bytes} bytes, more than ${limits.workflowBodyBytesMax}` });
}
