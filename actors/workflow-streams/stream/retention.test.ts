import test from "ava";
import { limits } from "#base";
import { startStream, upTo } from "../../../test/support/streams.ts";

test("rule 4: a reader below the floor is told requested, earliest, latest and why", (t) => {
  const { driver, append, read, sequences } = startStream({ retention: { max_records: 4 } });
  append(3);
  append(4);
  driver.advance(limits.streamTrimDelayMs);
  t.like(read(0), {
    code: "CURSOR_EXPIRED",
    extra: { requested_sequence: 1, earliest_sequence: 4, latest_sequence: 7, resync_reason: "retention" },
  });
  t.like(read(2), { code: "CURSOR_EXPIRED" });
  t.deepEqual(sequences(3), [4, 5, 6, 7]);
});

test("retention prunes by records, bytes and age, and the rows of what is gone", (t) => {
  for (const [retention, floor] of [
    [{ max_records: 10 }, 30],
    [{ max_bytes: 60 }, 30],
    [{ max_age_seconds: 100 }, 20],
  ] as const) {
    const { driver, address, append, ask, sequences } = startStream({ retention });
    append(20, { payload: "1234" });
    driver.advance(50_000);
    append(20, { payload: "1234" });
    driver.advance(60_000);
    t.like(ask("GetStream"), { earliest_sequence: floor + 1 });
    const rows = driver.rows(address, "chunks").scan({ collection: "chunks", limit: 100 });
    t.deepEqual(
      rows.map(({ key }) => key[0]),
      [40],
    );
    driver.restart();
    t.deepEqual(sequences(floor), upTo(floor + 1, 40));
    t.deepEqual(driver.unlikeReplay(address), []);
  }
});

test("the floor is published before anything is deleted, and a hold stops the pruning in the middle", (t) => {
  const { driver, address, append, ask, read } = startStream({ retention: { max_records: 2 } });
  append(2);
  append(2);
  driver.tell(address, { type: "trim" });
  const rows = () => driver.rows(address, "chunks").scan({ collection: "chunks", limit: 100 }).length;
  t.like(read(0), { code: "CURSOR_EXPIRED" });
  t.is(rows(), 2);
  t.like(ask("SetLegalHold", { held: true, reason: "inquiry", reference: "17" }), {
    legal_hold: { reason: "inquiry", reference: "17", set_by: "tester" },
  });
  driver.advance(60_000);
  t.is(rows(), 2);
  append(5);
  driver.advance(60_000);
  t.like(ask("GetStream"), { earliest_sequence: 3, latest_sequence: 9 });
  t.is(ask("SetLegalHold", { held: false }).legal_hold, undefined);
  driver.advance(60_000);
  t.like(ask("GetStream"), { earliest_sequence: 8 });
  t.is(rows(), 1);
});

test("a hold needs a reason", (t) => {
  t.like(startStream().ask("SetLegalHold", { held: true }), { code: "INVALID_ARGUMENT" });
});

test("edge case 24: a clock that jumps makes no record older than it is, and keeps none for ever", (t) => {
  const { driver, append, ask } = startStream({ retention: { max_age_seconds: 100 } });
  const start = driver.now;
  append();
  // An hour ahead for a moment: what is appended then is of the future.
  driver.now = start + 3_600_000;
  append();
  driver.now = start + 1_000;
  append();
  driver.advance(50_000);
  t.like(ask("GetStream"), { earliest_sequence: 1 }, "nothing is 100 s old");
  driver.advance(60_000);
  t.like(ask("GetStream"), { earliest_sequence: 4 }, "what was appended before an old record is as old");
  // Back by an hour: what comes next is kept its time.
  driver.now = start - 3_600_000;
  append();
  driver.advance(99_000);
  t.like(ask("GetStream"), { earliest_sequence: 4, latest_sequence: 4 });
  driver.advance(2_000);
  t.like(ask("GetStream"), { earliest_sequence: 5 });
});

test("edge case 8: a page whose rows another owner has pruned is refused, and has no gap", (t) => {
  const { driver, address, append, read } = startStream();
  append(3);
  append(3);
  driver.restart();
  driver.rows(address, "chunks").delete([3]);
  t.like(read(0), { code: "UNAVAILABLE" });
  t.like(read(3), { next_after_sequence: 6 });
});
