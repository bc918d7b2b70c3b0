import test from "ava";
import { isRefusal } from "#base";
import { QueueBench } from "../../../../test/support/queue.ts";

type Message = Record<string, unknown>;

/** Every page of a list, and how many there were. */
function walk(bench: QueueBench, method: string, member: string, request: Message) {
  const found: Message[] = [];
  let pages = 0;
  let page_token = (request.page_token as string | undefined) ?? "";
  do {
    const page = bench.ask(method, { page_size: 2, ...request, page_token });
    found.push(...(page[member] as Message[]));
    page_token = page.next_page_token as string;
    pages++;
  } while (page_token !== "" && pages < 100);
  return { found, pages };
}

function enqueueMany(bench: QueueBench, count: number, make: (index: number) => Message): void {
  for (let start = 0; start < count; start += 500)
    bench.ask("QueueService.EnqueueBatch", {
      items: Array.from({ length: Math.min(500, count - start) }, (_, i) => make(start + i)),
    });
}

test("items are listed by state and page by page, with an exact total", (t) => {
  const bench = new QueueBench();
  const ids = Array.from({ length: 7 }, () => {
    bench.driver.now += 1;
    return bench.enqueue().item.id;
  });
  for (const leased of bench.claim(2)) bench.settle("complete", leased);
  bench.claim(1);
  const pages: string[] = [];
  let page_token = "";
  do {
    const page = bench.ask("QueueService.ListItems", { page_size: 3, page_token }) as {
      items: { id: string }[];
      next_page_token: string;
      total: number;
    };
    t.is(page.total, 7);
    pages.push(...page.items.map(({ id }) => id));
    page_token = page.next_page_token;
  } while (page_token !== "");
  t.deepEqual(pages, ids);
  const leased = bench.ask("QueueService.ListItems", { states: ["leased"] });
  t.like(leased, { total: 1 });
  t.is((leased.items as unknown[]).length, 1);
  t.true(isRefusal(bench.ask("QueueService.ListItems", { page_token: "forged" })));
});

test("a filter that lets few items through finds all of them, over as many pages as it takes", (t) => {
  const bench = new QueueBench();
  const later = new Date(bench.driver.now + 60_000).toISOString();
  enqueueMany(bench, 5_000, (index) => (index % 1_700 === 1_600 ? { key: "rare", not_before: later } : {}));
  bench.claim(3);
  const list = (request: Message) => walk(bench, "QueueService.ListItems", "items", request);
  t.is(list({ states: ["scheduled"] }).found.length, 2);
  t.is(list({ key: "rare" }).found.length, 2);
  t.is(list({ states: ["leased"] }).found.length, 3);
  t.is(list({ states: ["leased"] }).pages, 2);
  const { items, next_page_token } = bench.ask("QueueService.ListItems", { key: "rare", offset: 1 });
  const rest = walk(bench, "QueueService.ListItems", "items", { key: "rare", page_token: next_page_token });
  t.is(
    (items as Message[]).length + (next_page_token ? rest.found.length : 0),
    1,
    "the offset counts over pages",
  );
});

test("a list of groups by status finds all of them, whatever stands between", (t) => {
  const bench = new QueueBench({
    admission: { singleton: { key: "item.key", mode: "skip", ttl_seconds: 60 } },
  });
  enqueueMany(bench, 2_500, (index) => ({ key: `old-${index}` }));
  bench.driver.advance(61_000);
  enqueueMany(bench, 5, (index) => ({ key: `new-${index}` }));
  const list = (request: Message) =>
    walk(bench, "AdmissionService.ListAdmissionGroups", "admission_groups", request);
  const active = list({ status: "active" }).found;
  t.is(new Set(active.map(({ group_id }) => group_id)).size, 5);
  t.is(active.length, 5);
  t.is(list({ status: "expired", page_size: 1_000 }).found.length, 2_500);
  t.is(list({ page_size: 1_000 }).found.length, 2_505);
});

test("a concurrency group shows the limit of its own control, also when no item is leased and after a restart", (t) => {
  const concurrency = [
    { key: "item.attributes.a", limit: 5 },
    { key: "item.key", limit: 1 },
  ];
  const bench = new QueueBench({ admission: { concurrency } });
  for (const a of ["x", "y", "z"]) bench.enqueue({ key: "k", attributes: { a } });
  const [first] = bench.claim(3);
  bench.settle("complete", first!);
  const shown = () => {
    const groups = bench.ask("AdmissionService.ListAdmissionGroups").admission_groups as Message[];
    const { constraint_kind, group_id } = groups.find(({ waiting }) => waiting === 1)!;
    const one = bench.ask("AdmissionService.GetAdmissionGroup", { constraint_kind, group_id });
    t.deepEqual(groups, [one]);
    return one;
  };
  const expected = { constraint_kind: "concurrency", in_use: 0, limit: 1, waiting: 1 };
  t.like(shown(), expected);
  bench.driver.restart();
  t.like(shown(), expected);
});

test("a concurrency group whose control is gone shows no limit", (t) => {
  const bench = new QueueBench({ admission: { concurrency: [{ key: "item.key", limit: 1 }] } });
  bench.enqueue({ key: "k" });
  bench.claim(1);
  bench.pool("PoolService.UpdatePool", { config: { admission: null }, update_mask: ["config.admission"] });
  const [group] = bench.ask("AdmissionService.ListAdmissionGroups").admission_groups as Message[];
  t.like(group, { constraint_kind: "concurrency", in_use: 1, limit: 0 });
});
