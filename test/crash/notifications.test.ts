/**
 * Real processes killed while broadcasts go out to a mail server and to an HTTP server that count what arrives. The full size is
 * `NOTIFY_KILLS=50 NOTIFY_MEMBERS=20000 npx ava test/crash/notifications.test.ts --match 'kill*'`, on Cassandra
 * `NOTIFY_CASSANDRA_KILLS=4 NOTIFY_CASSANDRA_MEMBERS=1000` with `--match 'on Cassandra*'`.
 */
import test, { type ExecutionContext } from "ava";
import { eventually } from "../support/eventually.ts";
import { needing } from "../support/needing.ts";
import { type Delivery, deliveriesOf, type KilledBroadcasts, killInBroadcasts } from "./broadcasts.ts";
import { startCassandra } from "./cassandra.ts";

const kills = Number(process.env.NOTIFY_KILLS ?? 4);
const members = Number(process.env.NOTIFY_MEMBERS ?? 100);
const cassandraKills = Number(process.env.NOTIFY_CASSANDRA_KILLS ?? 1);
const cassandraMembers = Number(process.env.NOTIFY_CASSANDRA_MEMBERS ?? 60);

/** On a machine that does much else a start takes a quarter of a minute, and 1,000 members some minutes. */
const timeoutMs = (size: { kills: number; members: number }) =>
  900_000 + 30_000 * size.kills + 200 * size.members;

test.serial(
  "kills -9 in broadcasts: every delivery is there once, no mail leaves twice, and all are sent, dead or flagged",
  async (t) => {
    t.timeout(timeoutMs({ kills, members }));
    await check(t, await killInBroadcasts(t, { kills, members }));
  },
);

const onCassandra = needing(test.serial, "cassandra");

onCassandra(
  "on Cassandra, kills -9 in broadcasts: every delivery is there once, no mail leaves twice, and all are sent, dead or flagged",
  async (t) => {
    const size = { kills: cassandraKills, members: cassandraMembers };
    t.timeout(timeoutMs(size));
    const cassandra = await startCassandra();
    t.teardown(() => cassandra.stop());
    await check(t, await killInBroadcasts(t, { ...size, settings: cassandra.settings }));
  },
);

async function check(t: ExecutionContext, killed: KilledBroadcasts): Promise<void> {
  const { broadcasts, arrived, subscribers, unansweredAtKill, call } = killed;
  const counts = new Map<string, number>();
  const wrong: string[] = [];
  const cut: Delivery[] = [];
  const keys = new Set<string>();
  for (const id of broadcasts) {
    const there = new Set<string>();
    for await (const delivery of deliveriesOf(call, id)) {
      const { subscriber_id, channel, status, failure, reconciliation_required: flagged } = delivery;
      const whose = `${subscriber_id} ${channel}`;
      if (there.has(whose)) wrong.push(`${whose} of ${id} has two deliveries`);
      there.add(whose);
      keys.add(`${delivery.id}.1`);
      const name = [channel, flagged ? "flagged" : status, failure?.code].filter(Boolean).join(" ");
      counts.set(name, (counts.get(name) ?? 0) + 1);
      const times = (channel === "email" ? arrived.mails : arrived.webhooks).get(`${delivery.id}.1`) ?? 0;
      const problem = wrongEnd(delivery, times);
      if (problem) wrong.push(`${whose} of ${id}: ${status} ${failure?.code ?? ""} ${problem}`);
      if (channel === "email" && subscriber_id === subscribers[0]) cut.push(delivery);
    }
    const expected = subscribers.flatMap((one) => [`${one} email`, `${one} sms`]);
    for (const one of expected) if (!there.has(one)) wrong.push(`${one} of ${id} has no delivery`);
    if (there.size !== expected.length) wrong.push(`${id} has ${there.size} instead of ${expected.length}`);
  }
  const all = [...arrived.mails.keys(), ...arrived.webhooks.keys()];
  for (const key of all) if (!keys.has(key)) wrong.push(`${key} arrived, and no delivery has it`);
  t.deepEqual(wrong.slice(0, 10), []);
  t.true(
    unansweredAtKill.every((count) => count > 0),
    `not every kill was in the middle: ${unansweredAtKill}`,
  );
  const times = [...arrived.webhooks.values()].reduce((sum, count) => sum + count, 0);
  t.log(
    `${unansweredAtKill.length} kills, ${broadcasts.length} broadcasts to ${subscribers.length}: ${keys.size} deliveries,`,
    `${arrived.mails.size} mails, ${times} posts of ${arrived.webhooks.size} webhooks, ${JSON.stringify(Object.fromEntries(counts))};`,
    `webhooks without an answer at the kills: ${unansweredAtKill}`,
  );
  await checkCut(t, cut, killed);
}

function wrongEnd(delivery: Delivery, times: number): string | undefined {
  const { channel, status, reconciliation_required: flagged } = delivery;
  const arrived = `arrived ${times} times`;
  if (channel === "email" && times > 1) return arrived;
  if (status === "sent") return times > 0 ? undefined : arrived;
  if (status !== "failed" || delivery.dead_letter_id === undefined) return "is neither sent nor dead";
  // Without a flag it is known that this one did not arrive.
  return times === 0 || flagged ? undefined : arrived;
}

/** Cut after DATA: the mail is there, its sender does not know. */
async function checkCut(t: ExecutionContext, cut: readonly Delivery[], { arrived, call }: KilledBroadcasts) {
  for (const delivery of cut)
    t.like(delivery, {
      status: "failed",
      reconciliation_required: true,
      failure: { code: "OUTCOME_UNKNOWN" },
    });
  const came = cut.find(({ id }) => arrived.mails.get(`${id}.1`) === 1);
  t.truthy(came, "the content of one of them has arrived, once");
  const redrive = `notifications/dead-letters/${came!.dead_letter_id}:redrive`;
  await t.throwsAsync(call("POST", redrive, {}), { message: /OUTCOME_UNKNOWN/ });
  t.false(arrived.mails.has(`${came!.id}.2`));
  await call("POST", redrive, { accept_duplicate: true });
  await eventually("it is sent again", () => arrived.mails.get(`${came!.id}.2`) === 1 || undefined);
}
