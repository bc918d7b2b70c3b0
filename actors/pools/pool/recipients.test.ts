import test from "ava";
import { limits } from "#base";
import { PoolBench, tenant } from "../../../test/support/pool.ts";

type Message = Record<string, unknown>;

test("a recipient is created with its defaults, patched, paused, resumed and deleted", (t) => {
  const bench = new PoolBench();
  const created = bench.pool("RecipientService.CreateRecipient", {
    name: "r",
    labels: { "app.io/x": "1", b: "2" },
  });
  const recipient_id = created.id as string;
  t.like(created, {
    pool_id: bench.poolId,
    tenant_id: tenant,
    status: "STATUS_ACTIVE",
    weight: 1,
    capacity: 0,
    tier: 0,
    in_flight: 0,
    health: { state: "healthy" },
  });
  t.is(recipient_id.slice(10, 18), bench.poolId.slice(18));
  const patched = bench.pool("RecipientService.UpdateRecipient", {
    recipient_id,
    labels: { b: "3" },
    skills: { go: 2 },
    update_mask: ["labels.`app.io/x`", "labels.b", "skills.go"],
  });
  t.like(patched, { skills: { go: 2 } });
  t.deepEqual(patched.labels, { b: "3" });
  t.is(bench.pool("RecipientService.PauseRecipient", { recipient_id }).status, "STATUS_PAUSED");
  t.is(bench.pool("RecipientService.ResumeRecipient", { recipient_id }).status, "STATUS_ACTIVE");
  t.deepEqual(bench.pool("RecipientService.DeleteRecipient", { recipient_id }), {
    id: recipient_id,
    deleted: true,
  });
  t.like(bench.pool("RecipientService.GetRecipient", { recipient_id }), { code: "NOT_FOUND" });
});

test("invariant 4: the recipient after the last is refused", (t) => {
  const bench = new PoolBench();
  bench.recipients([{}]);
  const { recipients } = bench.driver.state<{ recipients: Map<string, Message> }>(bench.at("pool"));
  const [one] = recipients.values();
  for (let i = 1; i < limits.recipientsMax; i++) recipients.set(`filler-${i}`, one!);
  t.like(bench.pool("RecipientService.CreateRecipient", { name: "r" }), {
    code: "FAILED_PRECONDITION",
    reason: "LIMIT_REACHED",
  });
});

test("walking a list returns every recipient once, in order, and counts them", (t) => {
  const bench = new PoolBench();
  const ids = bench.recipients(Array.from({ length: 23 }, () => ({})));
  const seen: string[] = [];
  let page_token = "";
  do {
    const page = bench.pool("RecipientService.ListRecipients", { page_size: 5, page_token });
    t.is(page.total, 23);
    seen.push(...(page.recipients as Message[]).map(({ id }) => id as string));
    page_token = page.next_page_token as string;
  } while (page_token !== "");
  t.deepEqual(seen, [...ids].sort());
  const skipped = bench.pool("RecipientService.ListRecipients", { page_size: 2, offset: 20 });
  t.deepEqual(
    (skipped.recipients as Message[]).map(({ id }) => id),
    [...ids].sort().slice(20, 22),
  );
});

test("a filter lists by what a recipient's status is now, and a cursor keeps to its filter", (t) => {
  const bench = new PoolBench();
  const ids = bench.recipients(Array.from({ length: 6 }, () => ({})));
  for (const recipient_id of ids.slice(0, 3)) bench.pool("RecipientService.PauseRecipient", { recipient_id });
  const page = bench.pool("RecipientService.ListRecipients", { status: "STATUS_PAUSED", page_size: 2 });
  t.is(page.total, 3);
  const page_token = page.next_page_token as string;
  t.like(bench.pool("RecipientService.ListRecipients", { page_token }), { code: "INVALID_ARGUMENT" });
  t.like(bench.pool("RuleService.ListRules", { page_token }), { code: "INVALID_ARGUMENT" });
  t.like(
    bench.pool("RecipientService.ListRecipients", {
      page_token: `${page_token.slice(0, -2)}AA`,
      status: "STATUS_PAUSED",
    }),
    {
      code: "INVALID_ARGUMENT",
    },
  );
  t.is(
    (
      bench.pool("RecipientService.ListRecipients", { page_token, status: "STATUS_PAUSED" })
        .recipients as unknown[]
    ).length,
    1,
  );
});

test("a page is cut at four mebibytes and goes on after the cut", (t) => {
  const bench = new PoolBench();
  const metadata = { text: "x".repeat(16_000) };
  const ids = bench.recipients(Array.from({ length: 300 }, () => ({ metadata })));
  const first = bench.pool("RecipientService.ListRecipients", { page_size: 300 });
  const shown = first.recipients as Message[];
  t.true(shown.length < 300 && shown.length > 200, `${shown.length}`);
  const page_token = first.next_page_token;
  const rest = bench.pool("RecipientService.ListRecipients", { page_size: 300, page_token });
  t.is(shown.length + (rest.recipients as Message[]).length, ids.length);
});

test("metadata has a size", (t) => {
  const bench = new PoolBench();
  const metadata = { text: "x".repeat(limits.metadataBytesMax) };
  t.like(bench.pool("RecipientService.CreateRecipient", { name: "r", metadata }), {
    code: "INVALID_ARGUMENT",
    fields: [{ field: "metadata" }],
  });
});

test("a walk goes on where its last recipient is gone, and past others that come and go", (t) => {
  const bench = new PoolBench();
  const ids = bench.recipients(Array.from({ length: 6 }, () => ({}))).sort();
  const first = bench.pool("RecipientService.ListRecipients", { page_size: 3 });
  for (const recipient_id of [ids[0], ids[2], ids[4]])
    bench.pool("RecipientService.DeleteRecipient", { recipient_id });
  const [added] = bench.recipients([{}]) as [string];
  const page_token = first.next_page_token;
  const rest = bench.pool("RecipientService.ListRecipients", { page_size: 3, page_token });
  t.deepEqual(
    (rest.recipients as Message[]).map(({ id }) => id),
    [ids[3], ids[5], added].sort(),
  );
});

test("a cursor of a pool's recipients opens neither its rules nor another pool's recipients", (t) => {
  const bench = new PoolBench();
  bench.recipients([{}, {}]);
  const { next_page_token: page_token } = bench.pool("RecipientService.ListRecipients", { page_size: 1 });
  t.truthy(page_token);
  t.like(bench.pool("RuleService.ListRules", { page_token }), { code: "INVALID_ARGUMENT" });
  bench.driver.now += 1;
  bench.poolId = (
    bench.ask(bench.directory(), "PoolService.CreatePool", { name: "q", tenantKey: "key" }) as Message
  ).id as string;
  t.like(bench.pool("RecipientService.ListRecipients", { page_token }), { code: "INVALID_ARGUMENT" });
});

test("labels and skills that patches add up to have a number", (t) => {
  const bench = new PoolBench();
  const [recipient_id] = bench.recipients([{}]);
  for (const field of ["labels", "skills"]) {
    const patch = (count: number, value: unknown) => {
      const names = Array.from({ length: count }, (_, index) => `n${index}`);
      return bench.pool("RecipientService.UpdateRecipient", {
        recipient_id,
        [field]: Object.fromEntries(names.map((name) => [name, value])),
        update_mask: names.map((name) => `${field}.${name}`),
      });
    };
    const value = field === "labels" ? "v" : 1;
    t.truthy(patch(limits.recipientTraitsMax, value).id);
    t.like(patch(limits.recipientTraitsMax + 1, value), { code: "INVALID_ARGUMENT", fields: [{ field }] });
  }
  t.like(bench.pool("RecipientService.UpdateRecipient", { recipient_id, update_mask: ["name"] }), {
    fields: [{ field: "name" }],
  });
});

test("if_absent creates a recipient once for a name and answers with the oldest, unchanged", (t) => {
  const bench = new PoolBench();
  const create = (request: Record<string, unknown>) => {
    bench.driver.now += 1;
    return bench.pool("RecipientService.CreateRecipient", request);
  };
  const [oldest] = [create({ name: "ada", weight: 3 }), create({ name: "ada" })];
  t.is(oldest.created, undefined);
  t.like(create({ name: "ada", weight: 9, if_absent: true }), { id: oldest.id, weight: 3, created: false });
  const bob = create({ name: "bob", if_absent: true });
  t.true(bob.created);
  t.like(create({ name: "bob", if_absent: true }), { id: bob.id, created: false, record_version: 1 });
  const listed = (request: object) => bench.pool("RecipientService.ListRecipients", { ...request });
  const { recipients, total } = listed({ name: "ada" });
  t.is((recipients as unknown[]).length, 2);
  t.is(total, undefined);
  t.is((listed({ name: "ada", status: "STATUS_PAUSED" }).recipients as unknown[]).length, 0);
  t.is(listed({}).total, 3);
});
