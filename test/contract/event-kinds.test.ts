/** The kinds of events stand in the contract, in docs/events.md and where modules publish them: the same ones. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import test from "ava";
import type { Cause } from "../../actors/queues/rows/change.ts";
import { loadContract } from "../../gateway/contract/index.ts";

const root = path.resolve(import.meta.dirname, "../..");
const { validate } = loadContract().methods.find(({ name }) => name === "EventService.Subscribe")!;
const [refused] = validate({ kinds: ["no.such_kind"] })!;
const accepted = refused!.reason.replace("must be one of ", "").split(", ");
const kinds = accepted.filter((name) => name.includes(".")).sort();

test("whoever subscribes to a kind that there is not is told which, and which there are", (t) => {
  t.deepEqual(validate({ kinds: ["queue", "queue.paused"] }), undefined);
  const [error] = validate({ kinds: ["queue_item", "queue.pausd"] })!;
  t.is(error!.field, "kinds[1]");
  t.regex(error!.reason, /^must be one of .*\bqueue_item\.completed\b/);
});

test("however many there are not, the answer fits into the trailers of an RPC", (t) => {
  const errors = validate({ kinds: Array.from({ length: 100 }, () => "no.such_kind") })!;
  t.true(errors.length > 1);
  t.true(JSON.stringify(errors).length < 6_000);
});

test("a subscriber may ask for all kinds of a subject, and for each", (t) => {
  const subjects = new Set(kinds.map((kind) => kind.split(".")[0]!));
  t.deepEqual(accepted.filter((name) => !name.includes(".")).sort(), [...subjects].sort());
});

test("docs/events.md lists the kinds of the contract", (t) => {
  const text = readFileSync(path.join(root, "docs/events.md"), "utf8");
  const rows = text.split("\n").filter((line) => line.startsWith("| `"));
  const listed = rows.flatMap((row) => {
    const names = [...row.split("|")[1]!.matchAll(/`([^`]+)`/g)].map((match) => match[1]!);
    const subject = names[0]!.split(".")[0]!;
    return names.map((name) => (name.startsWith(".") ? `${subject}${name}` : name));
  });
  t.deepEqual(listed.sort(), kinds);
});

/** Every cause is here, or this does not compile; `held` is not told. */
const causes: Readonly<Record<Exclude<Cause, "held">, true>> = {
  enqueued: true,
  coalesced: true,
  ready: true,
  leased: true,
  extended: true,
  completed: true,
  retry_scheduled: true,
  released: true,
  lease_expired: true,
  dead: true,
  cancelled: true,
  drained: true,
  expired: true,
  superseded: true,
  redriven: true,
  quarantined: true,
  unquarantined: true,
  purged: true,
};

test("what modules publish are the kinds of the contract", (t) => {
  const written: Readonly<Record<string, readonly string[]>> = {
    "queue_item.${cause}": Object.keys(causes).map((cause) => `queue_item.${cause}`),
    "recipient.${event.change}": ["recipient.created", "recipient.updated"],
    "rule.${event.change}": ["rule.created", "rule.updated"],
  };
  const published = sources().flatMap((text) =>
    [...text.matchAll(/\.publish\(\s*["`]([^"`]+)["`]/g)].flatMap(([, name]) => written[name!] ?? [name!]),
  );
  t.deepEqual([...new Set(published)].sort(), kinds);
});

function sources(): string[] {
  return readdirSync(path.join(root, "actors"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
    .map((file) => readFileSync(path.join(root, "actors", file), "utf8"));
}
