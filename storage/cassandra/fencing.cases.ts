import { setTimeout as sleep } from "node:timers/promises";
import type { ExecutionContext, TestFn } from "ava";
import { Random } from "#base";
import { type CassandraSettings, StorageError } from "#storage";
import { eventually } from "../../test/support/eventually.ts";
import { startProxy } from "../../test/support/proxy.ts";
import { bytesOf } from "../engine.cases.ts";
import { append, rejects, replayed, take } from "../journal.cases.ts";
import { commit } from "./commit.ts";
import { CassandraJournal } from "./journal.ts";
import { Lanes } from "./lanes.ts";
import { Layouts } from "./layouts.ts";
import { lookAtShard, openShard } from "./open.ts";
import { Session } from "./session.ts";
import { readStatics, type ShardHandle } from "./shard.ts";
import { trimShard } from "./trim.ts";

/** Two owners of one shard on a real Cassandra, and writes whose outcome the client does not learn. */
export function fencingCases(test: TestFn, settings: () => CassandraSettings, newShard: () => number): void {
  const fencingTest = (name: string, run: (ring: Ring) => Promise<void>) =>
    test(name, async (t) => {
      const closing: (() => Promise<void>)[] = [];
      const node = async () => {
        const [host, port] = settings().contactPoints[0]!.split(":");
        const proxy = await startProxy({ host: host!, port: Number(port) });
        closing.push(() => proxy.close());
        const through = { ...settings(), contactPoints: [`127.0.0.1:${proxy.port}`] };
        const session = await Session.connect(through);
        closing.unshift(() => session.close());
        return {
          proxy,
          session,
          journal: new CassandraJournal(session, new Lanes(() => 16), new Layouts(session)),
        };
      };
      try {
        await run({ t, node, shard: newShard() });
      } finally {
        for (const close of closing) await close();
      }
    });

  fencingTest("200 take-overs: no write of an old handle is ever acknowledged", async (ring) => {
    const { t, node, shard } = ring;
    const { session } = await node();
    const random = new Random("take-overs");
    const handles: ShardHandle[] = [];
    const acknowledged: string[] = [];
    const open = new Set<string>();
    let refusals = 0;
    for (let round = 0; round < 210; round++) {
      const previous = handles.at(-1);
      const duringTakeOver =
        previous && random.chance(0.5) ? tryCommit(session, previous, `during ${round}`) : undefined;
      const owner = await openShard(session, shard, 1, await lookAtShard(session, shard, 1));
      const outcome = await duringTakeOver;
      if (outcome === "stored") acknowledged.push(`during ${round}`);
      if (outcome === "unknown") open.add(`during ${round}`);
      handles.push(owner);
      t.is(await tryCommit(session, owner, `owner ${round}`), "stored");
      acknowledged.push(`owner ${round}`);
      const zombies = [previous, ...(handles.length > 2 ? [random.pick(handles.slice(0, -1))] : [])];
      for (const zombie of zombies)
        if (zombie) {
          // Once with the state that the handle remembers, and once as if it had learned the head of its successor.
          t.is(await tryCommit(session, zombie, `zombie ${round}`), "fenced");
          t.is(await tryCommit(session, { ...zombie, head: owner.head }, `guess ${round}`), "fenced");
          refusals += 2;
        }
    }
    const values = (
      await replayed(new CassandraJournal(session, new Lanes(() => 16), new Layouts(session)), shard, 0)
    ).map(textAfterSeq);
    t.deepEqual(
      values.filter((value) => !open.has(value)),
      acknowledged,
      "every acknowledged entry is stored once and in order, and nothing else is",
    );
    t.true(refusals >= 800);
  });

  fencingTest("an answer is lost after the batch was stored: the append resolves", async (ring) => {
    const { t, node, shard } = ring;
    const [owner, watcher] = [await node(), await node()];
    const opened = await take(owner.journal, shard);
    await append(owner.journal, opened, 1, ["prepared"]);
    owner.proxy.loseAnswers();
    const answered = append(owner.journal, opened, 2, ["a"]);
    await eventually("the batch is stored", async () => {
      const statics = await readStatics(watcher.session, shard);
      return statics?.head === 2 || undefined;
    });
    owner.proxy.pass();
    owner.proxy.cutClients();
    await answered;
    t.is(
      (await readStatics(watcher.session, shard))?.epoch,
      opened.epoch + 1,
      "the owner raised its own epoch",
    );
    await append(owner.journal, opened, 3, ["b"]);
    t.deepEqual(await replayed(owner.journal, shard, 1), ["2:a", "3:b"]);
  });

  fencingTest(
    "a batch reaches the server after it was reported as not stored: it is refused",
    async (ring) => {
      const { t, node, shard } = ring;
      const owner = await node();
      const opened = await take(owner.journal, shard);
      await append(owner.journal, opened, 1, ["prepared"]);
      owner.proxy.holdRequests();
      const refused = rejects(t, append(owner.journal, opened, 2, ["late"]), "unavailable");
      await sleep(100);
      owner.proxy.cutClients();
      owner.proxy.pass();
      await refused;
      t.true(owner.proxy.release() > 0, "the proxy had held the late batch back");
      await sleep(300);
      await append(owner.journal, opened, 2, ["a"]);
      await append(owner.journal, opened, 3, ["b"]);
      t.deepEqual(await replayed(owner.journal, shard, 1), ["2:a", "3:b"]);
    },
  );

  fencingTest(
    "two owners raise the epoch and neither learns the outcome: one owner is left, and each append was answered correctly",
    async (ring) => {
      const { t, node, shard } = ring;
      const [left, right, watcher] = [await node(), await node(), await node()];
      const random = new Random("both sides");
      const acknowledged: string[] = [];
      const denied: string[] = [];
      let [owner, challenger] = [left, right];
      let opened = await take(owner.journal, shard);
      for (let round = 0; round < 6; round++) {
        const faults = [owner, challenger].map((side) => {
          if (random.chance(0.7)) side.proxy.loseAnswers();
          else side.proxy.holdRequests();
          return side.proxy;
        });
        const value = `v${round}`;
        const appended = append(owner.journal, opened, opened.head + 1, [value]).then(
          () => acknowledged.push(value),
          (error: unknown) => {
            t.true(error instanceof StorageError, String(error));
            if ((error as StorageError).kind !== "unknown") denied.push(value);
          },
        );
        const taking = take(challenger.journal, shard);
        // Long enough that append and open are lost as well and, after the cut, the raising of the epoch and its
        // repetition.
        for (let cut = 0; cut < 2; cut++) {
          await sleep(150 + random.int(150));
          for (const proxy of faults) proxy.cutClients();
        }
        for (const proxy of faults) {
          proxy.pass();
          proxy.cutClients();
        }
        const [taken] = await Promise.all([taking, appended]);
        for (const proxy of faults) proxy.release();
        const next = opened.head + (acknowledged.at(-1) === value ? 2 : 1);
        await rejects(t, append(owner.journal, opened, next, ["stale"]), "fenced");
        t.is(
          (await readStatics(watcher.session, shard))?.head,
          taken.head,
          "statements that arrived late changed nothing",
        );
        opened = taken;
        [owner, challenger] = [challenger, owner];
      }
      await append(owner.journal, opened, opened.head + 1, ["end"]);
      const values = (await replayed(owner.journal, shard, 0)).map(textAfterSeq);
      t.is(new Set(values).size, values.length, "nothing twice");
      for (const value of acknowledged) t.true(values.includes(value), `${value} was acknowledged`);
      for (const value of denied) t.false(values.includes(value), `${value} was denied`);
      t.false(values.includes("stale"));
    },
  );

  fencingTest(
    "the journal is trimmed while the old owner is paused: what it sends afterwards neither restores nor deletes a row",
    async (ring) => {
      const { t, node, shard } = ring;
      const [sleeper, successor] = [await node(), await node()];
      const old = await take(sleeper.journal, shard);
      for (let seq = 1; seq <= 5; seq++) await append(sleeper.journal, old, seq, [`old ${seq}`]);
      sleeper.proxy.holdRequests();
      const appended = t.throwsAsync(append(sleeper.journal, old, 6, ["zombie"]), {
        instanceOf: StorageError,
      });
      await sleep(100);
      const fresh = await take(successor.journal, shard);
      await append(successor.journal, fresh, 6, ["new 6"]);
      await successor.journal.trim(shard, fresh.epoch, 6);
      await append(successor.journal, fresh, 7, ["new 7"]);
      t.true(sleeper.proxy.release() > 0, "the old owner goes on");
      sleeper.proxy.pass();
      t.is(
        (await appended)?.kind,
        "unknown",
        "the journal no longer has what would tell whose batch was there",
      );
      await rejects(t, sleeper.journal.trim(shard, old.epoch, 5), "fenced");
      t.deepEqual(await replayed(successor.journal, shard, 6), ["7:new 7"]);
      await append(successor.journal, fresh, 8, ["new 8"]);
      t.deepEqual(await replayed(successor.journal, shard, 6), ["7:new 7", "8:new 8"]);
    },
  );

  fencingTest("a trim arrives after a later trim: the later one stays in force", async (ring) => {
    const { t, node, shard } = ring;
    const { session } = await node();
    const owner = await openShard(session, shard, 1, undefined);
    for (let value = 1; value <= 5; value++) await tryCommit(session, owner, `v${value}`);
    const late = { ...owner };
    await trimShard(session, owner, 4);
    await trimShard(session, late, 2);
    t.is((await readStatics(session, shard))?.trimmed, 4);
    const { journal } = await node();
    t.deepEqual(await replayed(journal, shard, 4), ["5:v5"]);
  });

  fencingTest(
    "two nodes with different membership views open one shard: the node with the newer view keeps it",
    async (ring) => {
      const { t, node, shard } = ring;
      const [older, newer] = [await node(), await node()];
      for (let view = 2; view < 22; view++) {
        const attempts = await Promise.allSettled([
          take(older.journal, shard, view - 1),
          take(newer.journal, shard, view),
        ]);
        const [behind, ahead] = attempts;
        if (ahead.status === "rejected") throw ahead.reason;
        await append(newer.journal, ahead.value, ahead.value.head + 1, [`view ${view}`]);
        if (behind.status === "fulfilled")
          await rejects(t, append(older.journal, behind.value, behind.value.head + 1, ["older"]), "fenced");
        else t.is((behind.reason as StorageError).kind, "fenced");
        await rejects(t, take(older.journal, shard, view - 1), "fenced");
      }
      t.false((await replayed(newer.journal, shard, 0)).some((line) => line.endsWith("older")));
    },
  );

  fencingTest(
    "one shard of a list was taken on a newer view: the open takes none of the list",
    async ({ t, node, shard }) => {
      const [owner, latecomer] = [await node(), await node()];
      const others = [newShard(), newShard()];
      const [first] = await owner.journal.open(others, 1);
      await take(owner.journal, shard, 9);
      await rejects(t, latecomer.journal.open([...others, shard], 8), "fenced");
      await append(owner.journal, first!, 1, ["still mine"]);
      t.pass();
    },
  );
}

interface Ring {
  readonly t: ExecutionContext;
  readonly node: () => Promise<{
    readonly proxy: Awaited<ReturnType<typeof startProxy>>;
    readonly session: Session;
    readonly journal: CassandraJournal;
  }>;
  readonly shard: number;
}

/** Clears the handle's local note that it was fenced, so that the statement is really sent. */
async function tryCommit(
  session: Session,
  handle: ShardHandle,
  value: string,
): Promise<"stored" | "fenced" | "unknown"> {
  const { shard, granted: epoch, head } = handle;
  handle.lost = undefined;
  try {
    await commit(session, handle, { shard, epoch, firstSeq: head + 1, entries: [bytesOf(value)] });
    return "stored";
  } catch (error) {
    if (error instanceof StorageError && (error.kind === "fenced" || error.kind === "unknown"))
      return error.kind;
    throw error;
  }
}

function textAfterSeq(line: string): string {
  return line.slice(line.indexOf(":") + 1);
}
