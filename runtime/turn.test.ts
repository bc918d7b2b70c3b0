import test from "ava";
import { limits as defaults, isRefusal } from "#base";
import type { Interference, Verdict } from "../storage/memory/index.ts";
import { type Fixture, settle, startFixture } from "../test/support/runtime/fixture.ts";
import { type AnyActorDefinition, defineActor } from "./actor.ts";
import type { Answer } from "./ask.ts";

type TallyCommand = {
  readonly type: "add";
  readonly amount: number;
  /** Fails there: in the decision, when it is applied, or when its commit is written. */
  readonly breaks?: "decide" | "apply" | "beforeCommit";
  readonly reads?: boolean;
  readonly parks?: boolean;
};

interface Tally {
  sum: number;
  written: number;
  unwritten: number;
  broken: boolean;
}

/** Adds up; its row is written once a commit. */
const tally: AnyActorDefinition = defineActor<Tally, TallyCommand, TallyCommand>({
  kind: "notebook",
  placement: "key",
  empty: () => ({ sum: 0, written: 0, unwritten: 0, broken: false }),
  resident: ["head"],
  restore: (state, row) => Object.assign(state, row.value),
  decide(state, command, context) {
    if (command.breaks === "decide") throw new Error("decide broke");
    if (context.expired) return { events: [] };
    if (command.reads) {
      const ref = { collection: "last", key: [] };
      const last = context.row(ref);
      if (last === undefined) return { events: [] };
      return last === state.sum ? { events: [] } : { events: [{ type: "add", amount: -1_000 }] };
    }
    return command.parks
      ? { events: [command], park: { untilMs: context.now + 1_000 } }
      : { events: [command] };
  },
  apply(state, event, rows) {
    state.sum += event.amount;
    state.unwritten++;
    rows.put("last", [], state.sum);
    if (event.breaks === "apply") throw new Error("apply broke");
    if (event.breaks === "beforeCommit") state.broken = true;
  },
  beforeCommit(state, rows) {
    if (state.broken) throw new Error("beforeCommit broke");
    state.written++;
    state.unwritten = 0;
    rows.put("head", [], { sum: state.sum, written: state.written });
  },
  methods: {
    "Notebook.Do": {
      command: (request) => (request as { command: TallyCommand }).command,
      respond: ({ sum, written, unwritten }) => ({ sum, written, unwritten }),
    },
  },
});

async function startTally(
  interference: Interference = {},
): Promise<Fixture & { add(command: Omit<TallyCommand, "type">, once?: string): Promise<Answer> }> {
  const fixture = await startFixture({ definitions: [tally], interference });
  const add = (command: Omit<TallyCommand, "type">, once?: string) =>
    fixture.ask({ type: "add", ...command }, once === undefined ? {} : { once });
  await add({ amount: 0 });
  return { ...fixture, add };
}

async function positions({ runtime }: Fixture): Promise<number> {
  const [stats] = await runtime.stats();
  return stats!.shards.reduce((sum, shard) => sum + shard.decidedSeq, 0);
}

function sumOf(answer: Answer): number | string {
  return isRefusal(answer) ? answer.code : (answer.response as { sum: number }).sum;
}

test("commands that run in a row share a position of the journal and are written once before it", async (t) => {
  const fixture = await startTally();
  const before = await positions(fixture);
  const answers = await Promise.all(Array.from({ length: 10 }, () => fixture.add({ amount: 1 })));
  t.deepEqual(answers.map(sumOf), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  t.is((await positions(fixture)) - before, 1);
  const { ask } = await fixture.restart();
  t.like(await ask({ type: "add", amount: 0 }), { response: { sum: 10, written: 2 } });
});

test("a command that fails takes no other of its turn along: they run again, each once", async (t) => {
  for (const breaks of ["decide", "apply"] as const) {
    const { add, restart } = await startTally();
    const answers = await Promise.all([
      add({ amount: 1 }),
      add({ amount: 10 }),
      add({ amount: 100, breaks }),
      add({ amount: 1_000 }),
    ]);
    t.deepEqual(answers.map(sumOf), [1, 11, "INTERNAL", 1_011], breaks);
    const { ask } = await restart();
    t.like(await ask({ type: "add", amount: 0 }), { response: { sum: 1_011 } });
  }
});

test("a turn that cannot be written is run again command by command, and only the one that breaks it is refused", async (t) => {
  const { add, restart } = await startTally();
  const answers = await Promise.all([
    add({ amount: 1 }),
    add({ amount: 10, breaks: "beforeCommit" }),
    add({ amount: 100 }),
  ]);
  t.deepEqual(answers.map(sumOf), [1, "INTERNAL", 101]);
  const { ask } = await restart();
  t.like(await ask({ type: "add", amount: 0 }), { response: { sum: 101 } });
});

test("a repeat within the turn of its first request is answered from the record, also when the turn is run again", async (t) => {
  const { add } = await startTally();
  const answers = await Promise.all([
    add({ amount: 1 }, "one"),
    add({ amount: 1 }, "one"),
    add({ amount: 10, breaks: "apply" }),
    add({ amount: 1 }, "one"),
    add({ amount: 100 }),
  ]);
  t.deepEqual(answers.map(sumOf), [1, 1, "INTERNAL", 1, 101]);
  t.deepEqual(
    answers.map((answer) => "replayed" in answer && answer.replayed),
    [false, true, false, true, false],
  );
});

test("a command finds the rows that earlier ones of its turn have put", async (t) => {
  const { add } = await startTally();
  const answers = await Promise.all([
    add({ amount: 1 }),
    add({ amount: 0, reads: true }),
    add({ amount: 10 }),
    add({ amount: 0, reads: true }),
  ]);
  t.deepEqual(answers.map(sumOf), [1, 1, 11, 11]);
});

test("a command that changes something and waits is parked when its turn is closed, and answers when its time is over", async (t) => {
  const { add, world } = await startTally();
  const waiting = add({ amount: 1, parks: true });
  t.like(await add({ amount: 10 }), { response: { sum: 11 } });
  await world.advance(1_000);
  t.like(await waiting, { response: { sum: 11 } });
});

test("a repeat within the turn of a request that changes something and waits has no effect of its own, and waits with it", async (t) => {
  const { add, world } = await startTally();
  const waiting = [1, 2].map(() => add({ amount: 1, parks: true }, "one"));
  await settle();
  await world.advance(1_000);
  const answers = await Promise.all(waiting);
  t.deepEqual(answers.map(sumOf), [1, 1]);
  t.like(answers, [{ replayed: false }, { replayed: true }]);
});

test("a turn that cannot be written while records are looked up for the next: the look-up holds on to nothing afterwards", async (t) => {
  const held: ((verdict: Verdict) => void)[] = [];
  let holds = false;
  const { add, world, runtime } = await startTally({
    before: ({ type }) =>
      holds && type === "get" ? new Promise<Verdict>((resolve) => held.push(resolve)) : "proceed",
  });
  holds = true;
  const broken = add({ amount: 10, breaks: "beforeCommit" });
  const next = add({ amount: 1 }, "one");
  await settle();
  holds = false;
  for (const goOn of held) goOn("proceed");
  t.deepEqual([await broken, await next].map(sumOf), ["INTERNAL", 1]);
  for (let i = 0; i < 3; i++) {
    await add({ amount: 1 });
    await world.advance(1_000);
  }
  const [stats] = await runtime.stats();
  t.deepEqual(
    stats!.shards.map(({ bufferLayers }) => bufferLayers),
    Array(8).fill(1),
  );
});

test("a turn is closed when what it holds is large", async (t) => {
  const fixture = await startFixture();
  await fixture.ask({ type: "read" });
  const before = await positions(fixture);
  const text = "x".repeat(defaults.turnBytesMax / 4);
  await Promise.all(Array.from({ length: 12 }, () => fixture.ask({ type: "add", amount: 1, text })));
  const taken = (await positions(fixture)) - before;
  t.true(taken >= 4 && taken <= 6, `${taken} positions`);
  await settle();
});

test("an append that fails is told to every command of its turn", async (t) => {
  let fails = false;
  const { ask, world } = await startFixture({
    interference: {
      before: ({ type }) => (fails && type === "append" ? { type: "fail", kind: "unavailable" } : "proceed"),
    },
  });
  await ask({ type: "add", amount: 1 });
  fails = true;
  const answers = await Promise.all([1, 2, 3].map((amount) => ask({ type: "add", amount })));
  for (const answer of answers) t.like(answer, { code: "UNAVAILABLE" });
  fails = false;
  await world.advance(20_000);
  t.like(await ask({ type: "read" }), { response: { sum: 1 } });
});
