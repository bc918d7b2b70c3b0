import path from "node:path";
import type { Given } from "../command.ts";
import { type Draft, draftIn } from "../draft.ts";
import type { Terminal } from "../terminal.ts";
import { Client } from "./client.ts";

interface Definition {
  readonly id: string;
  readonly active_version: number;
}

/** `service workflows publish FILE` */
export async function publish(given: Given, terminal: Terminal): Promise<number> {
  const [file = ""] = given.args;
  const draft = draftIn(file);
  const client = await Client.of(given, terminal);
  const { key = path.parse(file).name } = given.flags;
  const id = await stored(client, String(key), draft);
  const { active_version } = await client.call<Definition>("WorkflowDefinitionService.PublishDefinition", {
    id,
  });
  terminal.out(`${key} (${id}) is published: version ${active_version} is active\n`);
  return 0;
}

/** The id of the definition whose draft is now this one. */
async function stored(client: Client, key: string, draft: Draft): Promise<string> {
  const service = "WorkflowDefinitionService";
  const [found] = await client.call<readonly Definition[]>(`${service}.ListDefinitions`, { key });
  if (found === undefined)
    return (await client.call<Definition>(`${service}.CreateDefinition`, { key, draft })).id;
  // A patch merges: what the file no longer has would stay.
  await client.call(`${service}.PatchDraft`, { id: found.id, draft: null });
  await client.call(`${service}.PatchDraft`, { id: found.id, draft });
  return found.id;
}
