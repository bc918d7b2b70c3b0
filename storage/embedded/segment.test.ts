import test from "ava";
import { Random } from "#base";
import { StorageError } from "../error.ts";
import type { JournalBatch } from "../journal.ts";
import { encodeFrame, frameGroups, sealBytes } from "./frame.ts";
import { encodeSegmentHeader, newSalt, readSegment, segmentHeaderBytes } from "./segment.ts";

/** A segment of three frames, written and synced one after the other. */
function makeSegment(seed: number, recycled = false) {
  const random = new Random(seed);
  const salt = newSalt();
  const bytes = Buffer.alloc(segmentHeaderBytes + 4_096);
  // A recycled file is full of frames of its earlier use.
  if (recycled) for (let i = segmentHeaderBytes; i < bytes.length; i++) bytes[i] = random.int(256);
  bytes.set(encodeSegmentHeader(salt, recycled));
  const ends: number[] = [];
  let at = segmentHeaderBytes;
  for (let frame = 0; frame < 3; frame++) {
    const batches = Array.from({ length: 1 + random.int(3) }, (_, i) => batchOf(random, frame * 10 + i));
    const scratch = Buffer.alloc(2_048);
    const length = encodeFrame(scratch, batches, { salt, offset: at });
    bytes.set(scratch.subarray(0, length), at);
    at += length;
    ends.push(at);
  }
  return { bytes, ends };
}

function batchOf(random: Random, shard: number): JournalBatch {
  const entries = Array.from({ length: 1 + random.int(3) }, () => {
    const entry = Buffer.alloc(random.int(60));
    for (let i = 0; i < entry.length; i++) entry[i] = random.int(256);
    return entry;
  });
  return { shard, epoch: 7, firstSeq: 1 + random.int(1_000), entries };
}

const texts = (bytes: Buffer, file = "x.seg") =>
  readSegment(file, bytes).groups.map(
    ({ shard, epoch, firstSeq, count, start, end }) =>
      `${shard} ${epoch} ${firstSeq} ${count} ${bytes.subarray(start, end).toString("hex")}`,
  );

test("frames come back as they were written", (t) => {
  const { bytes, ends } = makeSegment(1);
  const { groups, end, torn } = readSegment("x.seg", bytes);
  t.true(groups.length >= 3);
  t.is(end, ends[2]!);
  t.false(torn);
});

test("a segment cut at any byte of its last two frames yields exactly the frames before the cut", (t) => {
  for (const seed of [1, 2, 3]) {
    const { bytes, ends } = makeSegment(seed);
    const whole = texts(bytes);
    for (let cut = ends[0]!; cut < ends[2]!; cut++)
      // Cut off, and with zeros after the cut. (Where only the padding of a frame was cut, the frame is complete.)
      for (const image of [
        bytes.subarray(0, cut),
        Buffer.concat([bytes.subarray(0, cut), Buffer.alloc(2_000)]),
      ]) {
        const { end } = readSegment("x.seg", Buffer.from(image));
        const intact = ends.filter((to) => image.subarray(0, to).equals(bytes.subarray(0, to)));
        t.is(end, intact.at(-1)!, `cut at ${cut}`);
        const found = texts(Buffer.from(image));
        t.true(found.every((text, i) => text === whole[i]));
      }
  }
});

test("a flipped bit in an earlier frame is an error with file and offset; in the last frame, the frame is cut off", (t) => {
  const { bytes, ends } = makeSegment(4);
  const whole = texts(bytes);
  const starts = [segmentHeaderBytes, ...ends];
  for (let at = segmentHeaderBytes; at < ends[2]!; at++)
    for (const bit of [0, 3, 7]) {
      const image = Buffer.from(bytes);
      image[at]! ^= 1 << bit;
      const frame = ends.findIndex((end) => at < end);
      try {
        const found = texts(image);
        t.true(
          found.every((text, i) => text === whole[i]),
          "never a wrong record",
        );
        // Padding carries no data, so a flip there may go unseen.
        if (found.length < whole.length) t.is(frame, 2, `the flip at ${at} was in the last frame`);
      } catch (error) {
        t.true(error instanceof StorageError && error.kind === "corrupt");
        t.true(
          (error as Error).message.includes(`x.seg: the frame at offset ${starts[frame]} is corrupt`),
          String(error),
        );
        t.true(frame < 2);
      }
    }
});

test("a flipped bit in any frame of a sealed segment is an error, because a valid frame follows", (t) => {
  const { bytes, ends } = makeSegment(10);
  const salt = bytes.subarray(8, 16);
  const whole = texts(bytes);
  const seal = Buffer.alloc(sealBytes);
  encodeFrame(seal, [], { salt, offset: ends[2]! });
  bytes.set(seal, ends[2]!);
  t.deepEqual(texts(bytes), whole);
  t.is(readSegment("x.seg", bytes).end, ends[2]! + sealBytes);
  for (let at = segmentHeaderBytes; at < ends[2]!; at += 3) {
    const image = Buffer.from(bytes);
    image[at]! ^= 16;
    try {
      t.deepEqual(texts(image), whole, "a flip in padding changes nothing");
    } catch (error) {
      t.regex(String(error), /x\.seg: the frame at offset \d+ is corrupt/);
    }
  }
});

test("a frame of an earlier use of the file, or at another offset, is not accepted", (t) => {
  const { bytes } = makeSegment(5);
  const other = Buffer.from(bytes);
  other.set(encodeSegmentHeader(newSalt(), true));
  t.deepEqual(texts(other), []);
  t.false(
    readSegment("x.seg", other).torn,
    "frames of an earlier use after the end are not reported as a torn write",
  );
  const moved = Buffer.alloc(bytes.length);
  moved.set(bytes.subarray(0, segmentHeaderBytes));
  moved.set(bytes.subarray(segmentHeaderBytes, bytes.length - 8), segmentHeaderBytes + 8);
  t.deepEqual(texts(moved), []);
  const recycled = makeSegment(6, true);
  t.is(readSegment("x.seg", recycled.bytes).end, recycled.ends[2]!);
});

test("a salt of which only the first half matches is a different salt", (t) => {
  const { bytes } = makeSegment(9);
  const salt = Buffer.from(bytes.subarray(8, 16));
  salt[7]! ^= 1;
  bytes.set(encodeSegmentHeader(salt, false));
  t.deepEqual(texts(bytes), []);
});

test("a corrupt header is an error that names the file", (t) => {
  const { bytes } = makeSegment(7);
  for (let at = 0; at < 28; at++) {
    const image = Buffer.from(bytes);
    image[at]! ^= 1;
    t.throws(() => readSegment("x.seg", image), { instanceOf: StorageError, message: /^x\.seg/ });
  }
});

test("a frame whose content contradicts its lengths is an error", (t) => {
  const { bytes } = makeSegment(8);
  t.truthy(frameGroups(bytes, segmentHeaderBytes));
  const image = Buffer.from(bytes);
  image.writeUInt32LE(image.readUInt32LE(segmentHeaderBytes + 8) + 1, segmentHeaderBytes + 8);
  t.is(frameGroups(image, segmentHeaderBytes), undefined);
});
