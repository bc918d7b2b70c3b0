import { randomUUID } from "node:crypto";
import type { TestFn } from "ava";
import { attachStorage, type CassandraSettings, StorageError, startStorage } from "#storage";
import { bytesOf } from "../engine.cases.ts";
import { append, take } from "../journal.cases.ts";
import { migrateCassandra, verifyCassandra } from "./index.ts";
import { Session } from "./session.ts";

/** Creating, checking and refusing a keyspace of a real Cassandra. */
export function keyspaceCases(test: TestFn, settingsOf: (keyspace: string) => CassandraSettings): void {
  const withSession = async (settings: CassandraSettings, act: (session: Session) => Promise<unknown>) => {
    const session = await Session.connect(settings);
    try {
      await act(session);
    } finally {
      await session.close();
    }
  };

  test("a keyspace that does not exist is refused, and the message says what to run", async (t) => {
    const settings = settingsOf("nobody_made_it");
    const error = await t.throwsAsync(
      startStorage({ engine: "cassandra", ...settings }, () => {}),
      {
        instanceOf: StorageError,
      },
    );
    t.regex(error?.message ?? "", /service storage migrate/);
  });

  test("four nodes migrate a new keyspace at once, a fifth does it again, and all find one schema", async (t) => {
    const settings = settingsOf("made_by_four");
    const made = await Promise.all(Array.from({ length: 4 }, () => migrateCassandra(settings)));
    t.deepEqual(
      made.map(({ to }) => to),
      [1, 1, 1, 1],
    );
    t.deepEqual(await migrateCassandra(settings), { from: 1, to: 1 });
    const host = await startStorage({ engine: "cassandra", ...settings }, () => {});
    const storage = await attachStorage(host.bootstrap(0).data);
    await append(storage.journal, await take(storage.journal, 0), 1, ["a"]);
    t.is((await host.health()).state, "healthy");
    await storage.close();
    await host.close();
  });

  test("four nodes change the list of nodes at once: one change per version, and none is lost", async (t) => {
    const start = () => startStorage({ engine: "cassandra", ...settingsOf("made_by_four") }, () => {});
    const hosts = await Promise.all([start(), start(), start(), start()]);
    await Promise.all(
      hosts.map(async ({ members }, index) => {
        const member = { node: `n${index}`, incarnation: randomUUID(), info: `{"index":${index}}` };
        while (!(await members!.change((await members!.read()).version, { type: "put", member })));
        await members!.beat(member.incarnation, index + 1);
      }),
    );
    const { members } = hosts[0]!;
    const view = await members!.read();
    t.is(view.version, 4);
    t.deepEqual(view.members.map(({ node }) => node).sort(), ["n0", "n1", "n2", "n3"]);
    const beats = await members!.beats();
    t.deepEqual(
      view.members.map(({ incarnation }) => beats.get(incarnation)),
      [1, 2, 3, 4],
    );
    const gone = view.members[0]!;
    t.false(await members!.change(3, { type: "remove", member: gone }));
    t.true(await members!.change(4, { type: "remove", member: gone }));
    await members!.beat(gone.incarnation, 99);
    t.false((await members!.beats()).has(gone.incarnation), "a node that was removed has no heartbeat");
    t.is((await members!.read()).members.length, 3);
    for (const host of hosts) await host.close();
  });

  test("a node of another data center, of another shard count, or older than the schema refuses to start", async (t) => {
    const settings = settingsOf("made_by_four");
    const facts = [
      ["home_dc", settings.localDataCenter, "elsewhere", /live in data center elsewhere/],
      ["shard_count", "256", "64", /has 64 shards/],
      ["schema_version", "1", "3", /has schema 3, this program knows 1/],
      ["format", "1", "2", /has format 2, this program knows 1/],
    ] as const;
    await withSession(settings, async (session) => {
      const change = (name: string, from: string, to: string) =>
        session.conditional([
          { query: "UPDATE meta SET value = ? WHERE name = ? IF value = ?", params: [to, name, from] },
        ]);
      for (const [name, value, wrong, message] of facts) {
        t.true((await change(name, value, wrong)).applied);
        const error = await t.throwsAsync(startStorage({ engine: "cassandra", ...settings }, () => {}));
        t.regex(error?.message ?? "", message);
        await change(name, wrong, value);
      }
    });
  });

  test("a node accepts the schema of the next version, which only adds to its own", async (t) => {
    const settings = settingsOf("made_by_four");
    await withSession(settings, async (session) => {
      const query = "UPDATE meta SET value = ? WHERE name = 'schema_version' IF value = ?";
      t.true((await session.conditional([{ query, params: ["2", "1"] }])).applied);
      await (await startStorage({ engine: "cassandra", ...settings }, () => {})).close();
      t.true((await session.conditional([{ query, params: ["1", "2"] }])).applied);
    });
  });

  test("a new keyspace has format 1, and the format is only ever raised", async (t) => {
    const settings = settingsOf("older_format");
    await migrateCassandra(settings);
    const host = await startStorage({ engine: "cassandra", ...settings, formatMax: 2 }, () => {});
    const old = await startStorage({ engine: "cassandra", ...settings, formatMax: 1 }, () => {});
    const formats = host.formats!;
    t.deepEqual([formats.known, old.formats!.known], [2, 1]);
    t.is(await formats.read(), 1);
    await Promise.all([formats.raise(2), formats.raise(2), old.formats!.raise(1)]);
    await formats.raise(1);
    t.is(await formats.read(), 2);
    await migrateCassandra(settings);
    t.is(await formats.read(), 2, "a migration does not change the format");
    const worker = await attachStorage(host.bootstrap(0).data);
    t.true(worker.usedFormat! < 2, "what nobody has agreed to is not written");
    formats.use(2);
    t.is(worker.usedFormat, 2);
    await worker.close();
    const { journal, close } = await attachStorage(old.bootstrap(0).data);
    const error = await t.throwsAsync(take(journal, 0), { instanceOf: StorageError });
    t.regex(
      error?.message ?? "",
      /has format 2, this program knows 1/,
      "a node that runs already takes no shard",
    );
    t.is(error?.kind, "fenced", "other nodes can read it");
    await close();
    await old.close();
    await host.close();
  });

  test("a keyspace name that contains CQL is refused before any statement is sent", async (t) => {
    await t.throwsAsync(migrateCassandra(settingsOf("x; DROP TABLE journal")), { instanceOf: StorageError });
  });

  test("verify counts shards, entries and objects, and names a lost batch, a changed chunk and an unfinished upload", async (t) => {
    const settings = settingsOf("verified");
    await migrateCassandra(settings);
    const host = await startStorage({ engine: "cassandra", ...settings }, () => {});
    const { journal, objects, tables, close } = await attachStorage(host.bootstrap(0).data);
    const owner = await take(journal, 3);
    for (let seq = 1; seq <= 4; seq++) await append(journal, owner, seq, [`v${seq}`]);
    await tables.write([{ shard: 3, deletedRanges: [], changes: [], watermark: 1 }]);
    await journal.trim(3, owner.epoch, 1);
    await objects.put("kept", body("x".repeat(600_000)));
    const healthy = await verifyCassandra(settings);
    const counts = "Keyspace verified: 1 shards, 3 entries behind the watermarks, 1 objects.";
    t.deepEqual(healthy, { found: true, sound: true, findings: [counts] });

    await withSession(settings, async ({ client }) => {
      await client.execute("DELETE FROM verified.journal WHERE shard = 3 AND first_seq = 3");
      const { id } = (await client.execute("SELECT id FROM verified.objects WHERE key = 'kept'")).first()!;
      const corruption =
        "UPDATE verified.object_chunks USING TIMESTAMP 3 SET body = ? WHERE id = ? AND segment = 0 AND chunk = 1";
      await client.execute(corruption, [Buffer.from("changed"), id], { prepare: true });
      const orphan =
        "INSERT INTO verified.object_chunks (id, segment, chunk, body) VALUES (uuid(), 0, 0, 0x00)";
      await client.execute(orphan);
    });
    const corrupt = await verifyCassandra(settings);
    t.deepEqual(corrupt, {
      found: true,
      sound: false,
      findings: [
        "DAMAGED: shard 3: the journal lacks 3..3",
        "DAMAGED: object kept: its chunks are not what was put",
        "Keyspace verified: 1 shards, 1 entries behind the watermarks, 1 objects.",
        "1 bodies have chunks but no key",
      ],
    });
    const read = async () => {
      for await (const _ of (await objects.get("kept"))!);
    };
    t.is((await t.throwsAsync(read, { instanceOf: StorageError }))?.kind, "corrupt");
    await close();
    await host.close();
  });

  test("verify runs beside a service that commits, stores, trims and replaces: it reports no corruption", async (t) => {
    const settings = settingsOf("busy");
    await migrateCassandra(settings);
    const host = await startStorage({ engine: "cassandra", ...settings }, () => {});
    const { journal, objects, tables, close } = await attachStorage(host.bootstrap(0).data);
    let stopped = false;
    // On a busy machine a request may time out: the shard is opened again, as a service does.
    const again = async (act: () => Promise<void>) => {
      while (!stopped) await act().catch((error) => t.true(error instanceof StorageError));
    };
    const work = async (shard: number) => {
      const owner = await take(journal, shard);
      for (let seq = owner.head + 1; !stopped; seq++) {
        await append(journal, owner, seq, [`v${seq}`]);
        await tables.write([{ shard, deletedRanges: [], changes: [], watermark: seq }]);
        await journal.trim(shard, owner.epoch, seq);
      }
    };
    const replace = async () => void (await objects.put("replaced", body("x".repeat(300_000))));
    const working = Promise.all([again(() => work(1)), again(() => work(2)), again(replace)]);
    try {
      for (let round = 0; round < 2; round++) {
        const { sound, findings } = await verifyCassandra(settings);
        t.true(sound, findings.join("\n"));
      }
    } finally {
      stopped = true;
      await working;
      await close();
      await host.close();
    }
  });
}

async function* body(text: string): AsyncIterable<Uint8Array> {
  yield bytesOf(text);
}
