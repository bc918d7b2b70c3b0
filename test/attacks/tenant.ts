import type { Attack } from "./attack.ts";
import type { Attacker } from "./attacker.ts";
import { inParallel } from "./http1.ts";

/** Attacks by what a tenant may supply: each of them took seconds of a thread that serves all tenants. */
export const tenantAttacks: readonly Attack[] = [
  {
    name: "starts of a workflow whose schema multiplies its input",
    role: "operator",
    listeners: ["http"],
    testedMs: 1_000,
    async run(attacker) {
      const allOf = Array.from({ length: 150 }, (_, index) => ({ pattern: `^(item|i${index})` }));
      const steps = [{ id: "a", type: "end", status: "succeeded" }];
      const key = `slow-${Date.now()}`;
      const draft = { input: { properties: { a: { items: { allOf } } } }, steps };
      const made = await ask(attacker, "/api/workflow-definitions", { key, name: key, draft });
      await ask(attacker, `/api/workflow-definitions/${made.id}/publish`, { activate: true });
      const input = { a: Array.from({ length: 15_000 }, (_, index) => `item ${index}`) };
      await inParallel(4, () =>
        untilOver(attacker, () => ask(attacker, "/api/workflow-runs", { definition_id: made.id, input })),
      );
    },
  },
  {
    name: "previews of templates that never end",
    role: "operator",
    listeners: ["http"],
    testedMs: 1_000,
    async run(attacker) {
      const loop = (inner: string) => `{% for a in (1..1000) %}${inner}{% endfor %}`;
      const made = await ask(attacker, "/api/v2/layouts", {
        channel: "sms",
        name: `slow-${Date.now()}`,
        engine: "liquid",
        body: `${loop(loop(loop("")))}{{ content }}`,
      });
      await inParallel(4, () =>
        untilOver(attacker, () => ask(attacker, `/api/v2/layouts/${made.id}:preview`, {})),
      );
    },
  },
];

async function untilOver(attacker: Attacker, one: () => Promise<unknown>): Promise<void> {
  do await one();
  while (!attacker.isOver);
}

/** Throws where the caller may not do it: then the attack would be none. */
async function ask(attacker: Attacker, path: string, body: object): Promise<Record<string, unknown>> {
  const response = await fetch(`http://127.0.0.1:${attacker.port}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": attacker.apiKey! },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  attacker.bytesSent += text.length;
  if (response.status === 401 || response.status === 403 || response.status === 404)
    throw new Error(`${path}: ${text}`);
  const parsed = JSON.parse(text) as Record<string, unknown>;
  return (parsed.data as Record<string, unknown> | undefined) ?? parsed;
}
