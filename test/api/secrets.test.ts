import test from "ava";
import { isRefusal, Random, RefusalError } from "#base";
import { directoryOf } from "../../actors/kit/directory.ts";
import { secretOfTenant, tenantsAddress } from "../../actors/kit/tenants.ts";
import { testCaller } from "../support/entity.ts";
import { modules } from "../support/module-parts.ts";
import { tenant } from "../support/pool.ts";
import { type Fixture, startFixture } from "../support/runtime/fixture.ts";
import { seededSecret } from "../support/seeded-secret.ts";

test("two runs with the same ids have different secrets: what callers see does not determine a tenant's secret", async (t) => {
  const [one, other] = await Promise.all([publicAndSecret(t, "one"), publicAndSecret(t, "other")]);
  t.deepEqual(one.ids, other.ids);
  t.not(one.secret, other.secret);
  t.regex(one.secret, /^[\w-]{43}$/);
  t.not(one.leaseToken, other.leaseToken);
  t.regex(one.leaseToken, /^[\w-]{22}$/);
});

async function publicAndSecret(t: { teardown(end: () => unknown): void }, seed: string) {
  const fixture = await startFixture({ definitions: modules.flatMap(({ actors }) => actors) });
  t.teardown(() => fixture.runtime.stop());
  fixture.world.secret = seededSecret(new Random(seed));
  const pool = (await ask(fixture, directoryOf(tenant, "pool"), "PoolService.CreatePool", {
    name: "p",
    tenantKey: "key",
  })) as {
    id: string;
  };
  const at = (kind: string) => ({ kind, tenant, key: pool.id.slice(18) });
  const recipient = (await ask(fixture, at("pool"), "RecipientService.CreateRecipient", {
    pool_id: pool.id,
    name: "ada",
  })) as { id: string };
  const queued = (await ask(fixture, at("queue"), "QueueService.Enqueue", { pool_id: pool.id })) as {
    item: { id: string };
  };
  const claimed = (await ask(fixture, at("queue"), "QueueService.Claim", {
    pool_id: pool.id,
    recipient_id: recipient.id,
  })) as { items: { lease_token: string }[] };
  const { secret } = (await ask(fixture, tenantsAddress, secretOfTenant.name, { tenant_id: tenant })) as {
    secret: string;
  };
  return {
    ids: [pool.id, recipient.id, queued.item.id],
    secret,
    leaseToken: claimed.items[0]!.lease_token,
  };
}

async function ask(
  fixture: Fixture,
  to: { kind: string; tenant: string; key: string },
  method: string,
  request: object,
) {
  const { runtime, world } = fixture;
  const deadlineMs = world.nowMs + 60_000;
  const answer = await runtime.ask({ to, method, request, caller: testCaller(tenant), deadlineMs });
  if (isRefusal(answer)) throw new RefusalError(answer);
  return answer.response;
}
