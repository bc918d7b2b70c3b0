import { invalid, limits, type Refusal, refuse } from "#base";
import type { NewStreamRecord, StreamProducer } from "#protos";
import type { Context } from "#runtime";
import { limitReached } from "../../kit/record.ts";
import { type ProducerPut, type ProducerRow, producerRows, type State } from "./record.ts";

interface Produced {
  /** The request repeats records that have the sequences from this one on. */
  readonly repeated?: number;
  /** Why its place in the order of the producer does not let it in. */
  readonly refusal?: Refusal;
  /** What is remembered of the producer when the records are appended. */
  readonly next?: ProducerPut;
}

/** Where the records of a request stand among what their producer has appended. */
export function checkProducer(
  { head }: State,
  records: readonly NewStreamRecord[],
  context: Context,
): Produced | Refusal {
  const producer = records[0]!.producer;
  const mixed = mixedProducers(records, producer);
  if (mixed) return mixed;
  if (producer === undefined) return {};
  const row = context.get(producerRows, [producer.id]);
  if (row && producer.epoch < row.epoch) {
    const detail = `producer ${producer.id} has epoch ${row.epoch}: epoch ${producer.epoch} is over`;
    const extra = { epoch: row.epoch };
    return { refusal: refuse("STATE_CONFLICT", detail, { reason: "PRODUCER_FENCED", extra }) };
  }
  const from = producer.sequence;
  const to = from + records.length - 1;
  const known = row && producer.epoch === row.epoch ? row : undefined;
  if (known && from <= known.last) return repeatOf(known, from, to);
  if (known && from !== known.last + 1) return { refusal: gap(known.last + 1, from) };
  if (!row && head.producers >= limits.streamProducersMax)
    return limitReached("a stream", limits.streamProducersMax, "producers");
  const next = rowAfter(known, producer, to, head.latest + 1);
  return { next: { id: producer.id, row: next, isNew: row === null } };
}

function repeatOf({ ranges, last }: ProducerRow, from: number, to: number): Produced {
  const range = ranges.find((one) => one.from <= from && to <= one.to);
  return range ? { repeated: range.first + from - range.from } : { refusal: gap(last + 1, from) };
}

function gap(expected: number, received: number): Refusal {
  return refuse("STATE_CONFLICT", `the producer's next sequence is ${expected}, not ${received}`, {
    reason: "PRODUCER_GAP",
    extra: { expected_producer_sequence: expected, received_producer_sequence: received },
  });
}

/** Of a producer that is alone on its stream all ranges are one. */
function rowAfter(
  known: ProducerRow | undefined,
  { epoch, sequence: from }: StreamProducer,
  to: number,
  first: number,
): ProducerRow {
  const ranges = known?.ranges ?? [];
  const last = ranges.at(-1);
  const follows = last !== undefined && last.first + (from - last.from) === first;
  const next = follows
    ? [...ranges.slice(0, -1), { ...last, to }]
    : [...ranges.slice(-(limits.streamProducerRangesMax - 1)), { from, to, first }];
  return { epoch, last: to, ranges: next };
}

function mixedProducers(
  records: readonly NewStreamRecord[],
  first: StreamProducer | undefined,
): Refusal | undefined {
  const index = records.findIndex(({ producer }, i) =>
    first === undefined
      ? producer !== undefined
      : producer?.id !== first.id ||
        producer.epoch !== first.epoch ||
        producer.sequence !== first.sequence + i,
  );
  if (index < 0) return undefined;
  const reason = "must have the id and epoch of the first record, and the next sequence";
  return invalid({ field: `records[${index}].producer`, reason });
}
