/**
 * A canary in a real process: keys keep their side over kills and while the share rises.
 * `SIDE_KEYS=1000000 npx ava test/crash/sides.test.ts` (after `npm run build`) routes a million keys four times.
 */
import test from "ava";
import { bucketOf } from "../../actors/kit/canary.ts";
import { Server } from "./server.ts";

type Message = Record<string, unknown>;

const keys = Number(process.env.SIDE_KEYS ?? 5_000);
const batch = 1_000;
const recipients = 8;
/** 7 degrees of freedom, p = 0.000001: every run draws another candidate. */
const chiMax = 40.5;

interface Sides {
  /** By key: decided by the candidate. */
  readonly canary: Uint8Array;
  /** By key: the number of its recipient. */
  readonly recipient: Uint8Array;
}

const shareOf = ({ canary }: Sides) => canary.reduce((sum, one) => sum + one, 0) / keys;

/** Whether a side says something of the recipient: the statistic of the table of both. */
function chiSquare({ canary, recipient }: Sides): number {
  const cells = Array.from({ length: recipients }, () => [0, 0] as [number, number]);
  for (let n = 0; n < keys; n++) cells[recipient[n]!]![canary[n] as 0 | 1]++;
  const share = canary.reduce((sum, one) => sum + one, 0) / keys;
  let chi = 0;
  for (const [stable, chosen] of cells) {
    const all = stable + chosen;
    chi +=
      (chosen - all * share) ** 2 / (all * share) + (stable - all * (1 - share)) ** 2 / (all * (1 - share));
  }
  return chi;
}

test("given a canary, when the process is killed and the share rises, then every key keeps its side, whichever its recipient is", async (t) => {
  t.timeout(900_000);
  const server = new Server(["promotion.evidence_required=none"]);
  t.teardown(() => server.remove());
  await server.start();
  const call = async (method: string, path: string, body?: object): Promise<Message> => {
    const response = await fetch(`${server.url}${path}`, {
      method,
      ...(body && { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
    });
    const told = (await response.json()) as Message;
    if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(told)}`);
    return told.data as Message;
  };
  const pool = (await call("POST", "/api/pools", { name: "p" })).id;
  const numbers = new Map<unknown, number>();
  for (let n = 0; n < recipients; n++)
    numbers.set((await call("POST", `/api/pools/${pool}/recipients`, { name: `r${n}` })).id, n);
  const rule = { name: "never", order: 1, condition: "false", action: { reject: { reason: "no" } } };
  const content = { routing: { rules: [rule] } };
  const { version } = await call("POST", `/api/pools/${pool}/versions`, { kind: "routing", content });
  const { id } = await call("POST", "/api/promotions/candidates", {
    environment_id: "production",
    artifacts: [{ kind: "routing", id: pool, version }],
    guardrails: [{ scope: "target", metric: "dlq_depth", max: 1_000 }],
  });
  const step = (path: string, body: object = {}) =>
    call("POST", `/api/promotions/candidates/${id}/${path}`, body);
  await step("preflight");
  await step("guardrails/evaluate");

  const routeAll = async (): Promise<Sides> => {
    const sides = { canary: new Uint8Array(keys), recipient: new Uint8Array(keys) };
    for (let from = 0; from < keys; from += batch) {
      const count = Math.min(batch, keys - from);
      const routes = Array.from({ length: count }, (_, n) => ({ key: `key-${from + n}` }));
      const { results } = await call("POST", `/api/pools/${pool}:route-batch`, { routes });
      for (const { index, routing } of results as { index: number; routing: Message }[]) {
        sides.canary[from + index] = routing.candidate_id === id ? 1 : 0;
        sides.recipient[from + index] = numbers.get(routing.recipient_id)!;
      }
    }
    return sides;
  };
  const expected = (bps: number) =>
    Uint8Array.from({ length: keys }, (_, n) => (bucketOf(id as string, `key-${n}`) < bps ? 1 : 0));
  const restart = async () => {
    await server.kill();
    await server.start();
  };

  let before: Sides | undefined;
  for (const bps of [1_000, 2_500]) {
    await step("canary/start", { share_bps: bps });
    const first = await routeAll();
    await restart();
    const after = await routeAll();
    t.deepEqual(after.canary, first.canary, "a restart moves no key to the other side");
    t.deepEqual(first.canary, expected(bps));
    const moved = before ? first.canary.filter((one, n) => one < before!.canary[n]!).length : 0;
    t.is(moved, 0, "a larger share only adds keys");
    before = first;
    const chi = chiSquare(first);
    t.log(
      `${keys} keys at ${bps / 100} %: ${(100 * shareOf(first)).toFixed(3)} % canary, chi-square ${chi.toFixed(1)}`,
    );
    // Five standard deviations of a draw; with a million keys 0.1 points at 10 %.
    const deviation = Math.max(0.001, 5 * Math.sqrt(((bps / 10_000) * (1 - bps / 10_000)) / keys));
    t.true(Math.abs(shareOf(first) - bps / 10_000) < deviation, `${shareOf(first)}`);
    t.true(chi < chiMax, `${chi}`);
  }
});
