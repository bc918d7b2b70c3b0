import { hash } from "node:crypto";
import type { Message, Service } from "./service.ts";

/** Every resource that can be reached through the lists, by its path. */
export async function readAll({ call }: Service, more: readonly string[]): Promise<Record<string, Message>> {
  const answers: Record<string, Message> = {};
  const read = async (path: string) => {
    answers[path] = shortened(await call("GET", path));
    return answers[path];
  };
  const list = async (path: string) => {
    const found = await read(path);
    return (Array.isArray(found) ? found : ((found.items ?? found.data ?? []) as Message[])) as Message[];
  };
  for (const path of more) await read(path);
  for (const pool of await list("/api/pools?limit=100")) {
    await read(`/api/pools/${pool.id}`);
    for (const { id } of await list(`/api/pools/${pool.id}/recipients?limit=100`))
      await read(`/api/recipients/${id}`);
    for (const { id } of await list(`/api/pools/${pool.id}/rules?limit=100`)) await read(`/api/rules/${id}`);
    await read(`/api/queues/${pool.id}/status`);
    for (const { id } of await list(`/api/queues/${pool.id}/items?limit=100`)) {
      await read(`/api/queues/${pool.id}/items/${id}`);
      await read(`/api/queues/${pool.id}/items/${id}/admission-explanation`);
    }
    await list(`/api/dlq/${pool.id}?limit=100`);
    await read(`/api/dlq/${pool.id}/stats`);
  }
  await list("/api/queues?limit=100");
  for (const { pool_id, constraint_kind, group_id } of await list("/api/queues/admission-groups?limit=100"))
    await read(`/api/queues/${pool_id}/admission-groups/${constraint_kind}/${group_id}`);
  return answers;
}

/** Long strings as their digests: answers are only compared. */
export function shortened(answer: Message): Message {
  return JSON.parse(
    JSON.stringify(answer, (_, value: unknown) =>
      typeof value === "string" && value.length > 100 ? hash("sha256", value) : value,
    ),
  ) as Message;
}
