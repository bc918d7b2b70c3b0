import test from "ava";
import { newUlid, Random } from "#base";
import { search } from "./search.ts";
import { seenId, seenToken } from "./seen.ts";

test("given an id that a 32-bit seed generated, the search finds the seed; given others, it finds none", (t) => {
  const planted = 123_456;
  const seen = [
    seenId("planted", newUlid(1_700_000_000_000, new Random(planted))),
    seenId("of 128 bits", newUlid(1_700_000_000_000, new Random([1, 2, 3, 4]))),
    seenToken("token", Buffer.from("0123456789abcdef").toString("base64url")),
  ];
  t.deepEqual(search(seen, 0, 200_000), [{ name: "planted", seed: planted }]);
});

test("given a token that a 32-bit seed generated after an id, the search finds the seed", (t) => {
  const random = new Random(77);
  newUlid(1_700_000_000_000, random);
  const token = Buffer.alloc(16);
  for (let at = 0; at < 16; at += 4) token.writeUInt32LE(random.uint32(), at);
  t.deepEqual(search([seenToken("token", token.toString("base64url"))], 0, 1_000), [
    { name: "token", seed: 77 },
  ]);
});
