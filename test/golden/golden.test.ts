/** Data folders of earlier releases, opened by the present service: every resource reads as it did. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { verifyData } from "#storage";
import { repeated } from "./fill.ts";
import { unpackFolder } from "./packed.ts";
import { shortened } from "./read.ts";
import { type Message, type Service, startService } from "./service.ts";

const command = ["dist/cli/service.js"];
const names = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith(".packed"))
  .map((file) => file.slice(0, -".packed".length));

for (const name of names)
  test.serial(
    `a data folder of ${name} is opened: every resource has the values that the release returned`,
    async (t) => {
      const scratch = mkdtempSync(join(tmpdir(), "switchyard-golden-"));
      const dir = join(scratch, "data");
      unpackFolder(readFileSync(new URL(`./${name}.packed`, import.meta.url)), dir);
      const { at, answers } = JSON.parse(
        readFileSync(new URL(`./${name}.json`, import.meta.url), "utf8"),
      ) as Golden;
      let service = await startService(command, dir, at);
      try {
        await compare(service, answers, (path, told, released) => t.deepEqual(told, released, path));
        await repeatRequests(service, answers, (told, released) => t.deepEqual(told, released));
        await service.end("SIGTERM");
        t.true((await verifyData({ engine: "embedded", dir })).sound);
        // A second start, over what the first one made of the folder.
        service = await startService(command, dir, at);
        await compare(service, answers, (path, told, released) => t.deepEqual(told, released, path));
        await claimInLine(service, answers, (told, released) => t.deepEqual(told, released));
      } finally {
        await service.end("SIGKILL");
        rmSync(scratch, { recursive: true });
      }
    },
  );

interface Golden {
  /** The time at which the release ended. */
  readonly at: number;
  /** Answers by path. */
  readonly answers: Readonly<Record<string, Message>>;
}

type Same = (path: string, told: unknown, released: unknown) => void;

async function compare({ call }: Service, answers: Golden["answers"], same: Same): Promise<void> {
  await Promise.all(
    Object.entries(answers).map(async ([path, released]) =>
      same(path, known(shortened(await call("GET", path)), released), settled(released)),
    ),
  );
}

/** A repeated request gets the answer that the release gave: so its idempotency records can be read. */
async function repeatRequests(
  { call }: Service,
  answers: Golden["answers"],
  same: (told: unknown, released: unknown) => void,
): Promise<void> {
  const pools = answers["/api/pools?limit=100"] as unknown as readonly Message[];
  const { id } = pools.find(({ name }) => name === "all states")!;
  const items = answers[`/api/queues/${id}/items?limit=100`] as unknown as readonly Message[];
  const told = [];
  for (let n = 0; n < 20; n++) {
    const headers = { "idempotency-key": `item-${n}` };
    const { item } = (await call("POST", `/api/queues/${id}/items`, repeated(n), headers)) as {
      item: Message;
    };
    told.push(item.id);
  }
  same(
    told,
    items.filter(({ key }) => /^key-/.test(key as string)).map((item) => item.id),
  );
}

/** Items that the release had not handed out are, each once and in their order. */
async function claimInLine(
  { call }: Service,
  answers: Golden["answers"],
  same: (told: unknown, released: unknown) => void,
): Promise<void> {
  const pools = answers["/api/pools?limit=100"] as unknown as readonly Message[];
  const pool = pools.find(({ name }) => name === "in line")!;
  const [recipient] = answers[`/api/pools/${pool.id}/recipients?limit=100`] as unknown as readonly Message[];
  const waiting = answers[`/api/queues/${pool.id}/items?limit=100`] as unknown as readonly Message[];
  const claim = { recipient_id: recipient!.id, max_items: 100 };
  const { items } = await call("POST", `/api/queues/${pool.id}/items:claim`, claim);
  same(
    (items as readonly { readonly item: Message }[]).map(({ item }) => item.id),
    waiting.filter(({ state }) => state === "ready").map(({ id }) => id),
  );
}

/** The part of the present answer that the release had in it: fields may be added, and none may be lost or changed. */
function known(told: unknown, released: unknown): unknown {
  if (Array.isArray(told) && Array.isArray(released))
    return told.map((part, i) => (i < released.length ? known(part, released[i]) : part));
  if (!isMessage(told) || !isMessage(released)) return told;
  const members = Object.keys(released).filter((member) => member in told && !moving.has(member));
  return Object.fromEntries(members.map((member) => [member, known(told[member], released[member])]));
}

function settled(released: unknown): unknown {
  return known(released, released);
}

/** Fields that follow the clock. */
const moving = new Set(["oldest_item_age_seconds", "oldest_ready_age_seconds", "retry_after_ms"]);

function isMessage(value: unknown): value is Message {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
