import { devTenantId, limits } from "#base";
import type { Address } from "#runtime";
import { openReceipt, unitKeyOf } from "../../../actors/experiments/receipt.ts";
import { experimentAddress, unitsAddress } from "../../../actors/experiments/record.ts";
import type { Proven } from "../../../actors/experiments/units/assign.ts";
import type { ShardSums } from "../../../actors/experiments/units/decide.ts";
import type { Event } from "../../../actors/experiments/units/state.ts";
import { secretOfTenant, tenantsAddress } from "../../../actors/kit/tenants.ts";
import type { Stage } from "../scenario.ts";
import type { KnownExperiment, Message } from "./told.ts";

/** A unit, computed from the durable events. */
interface DurableUnit {
  readonly proven: Proven;
  readonly multiple: boolean;
  readonly scores: Map<string, { readonly quantity: bigint; readonly eligible: boolean }>;
}

/** Compares the final state with the answers that callers got and with the sum of the durable events. */
export async function reckonExperiment(stage: Stage, known: KnownExperiment): Promise<void> {
  const units = unitsOf(stage, known);
  const { secret } = ((await ask(stage, tenantsAddress, secretOfTenant.name, { tenant_id: devTenantId })) ??
    {}) as { secret?: string };
  if (secret === undefined) return;
  checkTold(known, units, secret);
  await checkStored(stage, known, units);
  await checkSums(stage, known, units);
}

function ask(stage: Stage, to: Address, method: string, request: Message = {}): Promise<unknown> {
  return stage.demand({ to, method, request });
}

/** Units by key. No event may be based on a snapshot older than the shard is required to have. */
function unitsOf(stage: Stage, known: KnownExperiment): Map<string, DurableUnit> {
  const units = new Map<string, DurableUnit>();
  const required = new Map<string, number>();
  const installed = new Map<string, number>();
  for (const { entry } of stage.durable()) {
    if (entry.address?.kind !== "experiment_units") continue;
    const shard = entry.address.key;
    for (const event of entry.steps.flatMap(({ events }) => events) as readonly Event[]) {
      if (event.type === "changed") required.set(shard, event.version);
      else if (event.type === "installed") installed.set(shard, event.snapshot.version);
      else if ((installed.get(shard) ?? 0) < (required.get(shard) ?? 0))
        known.violate(
          `shard ${shard}: ${event.type} was decided by version ${installed.get(shard)} of ${required.get(shard)}`,
        );
      follow(units, event, known);
    }
  }
  return units;
}

function follow(units: Map<string, DurableUnit>, event: Event, known: KnownExperiment): void {
  if (event.type === "removed") units.delete(event.key);
  else if (event.type === "scored") {
    const { scores } = units.get(event.key)!;
    if (scores.has(event.scoreId)) known.violate(`score ${event.scoreId} of ${event.key} was stored twice`);
    const { quantity, eligible } = event.score;
    scores.set(event.scoreId, { quantity: BigInt(quantity), eligible });
  } else if (event.type === "put") {
    const { variant, phase, exposedAt, multiple = false } = event.after;
    const before = units.get(event.key);
    if (before && before.proven.exposedAt !== exposedAt) known.violate(`${event.key} was exposed again`);
    units.set(event.key, {
      proven: { variant, phase, exposedAt },
      multiple,
      scores: before?.scores ?? new Map(),
    });
  }
}

/** Every answered exposure, score and deletion is durable. */
function checkTold(known: KnownExperiment, units: ReadonlyMap<string, DurableUnit>, secret: string): void {
  const at = (unit: string) => units.get(unitKeyOf(secret, known.id, unit).key);
  for (const [unit, { receipt }] of known.exposed) {
    if (unit.startsWith("d")) continue;
    const told = JSON.stringify(openReceipt(secret, known.id, receipt)?.proven);
    const found = JSON.stringify(at(unit)?.proven);
    if (told !== found) known.violate(`${unit} was told ${told} and has ${found}`);
  }
  for (const [key, answer] of known.scores) {
    const [unit, scoreId] = key.split(" ") as [string, string];
    const { eligible } = JSON.parse(answer) as { readonly eligible: boolean };
    if (at(unit)?.scores.get(scoreId)?.eligible !== eligible)
      known.violate(`score ${key} is lost: ${answer}`);
  }
  for (const unit of known.deleted) if (at(unit)) known.violate(`${unit} was deleted and is there`);
}

/** The shards return the units that became durable. */
async function checkStored(
  stage: Stage,
  known: KnownExperiment,
  units: ReadonlyMap<string, DurableUnit>,
): Promise<void> {
  const request = { experiment_id: known.id };
  const snapshot = await ask(stage, experimentAddress(devTenantId, known.id), "experiment.Snapshot", request);
  for (const [key, { proven, multiple }] of units) {
    if (stage.violated) return;
    const shard = Buffer.from(key, "base64url")[0]! % limits.experimentShards;
    const to = unitsAddress(devTenantId, known.id, shard);
    const found = (await ask(stage, to, "experiment_units.Do", { type: "get", key, snapshot })) as Message;
    if (stage.violated) return;
    const { phase, exposed_at } = found;
    if (
      phase !== proven.phase ||
      Date.parse(exposed_at as string) !== proven.exposedAt ||
      found.multiple !== multiple
    )
      known.violate(`${key} is ${JSON.stringify(proven)} and is told as ${JSON.stringify(found)}`);
  }
}

/** Recomputed from all units. */
async function checkSums(
  stage: Stage,
  known: KnownExperiment,
  units: ReadonlyMap<string, DurableUnit>,
): Promise<void> {
  const expected = new Map<string, { n: number; y: bigint; yy: bigint }>();
  for (const { proven, scores } of units.values()) {
    const cell = `${proven.phase}.${proven.variant}`;
    const counted = [...scores.values()].filter(({ eligible }) => eligible);
    const total = counted.reduce((sum, { quantity }) => sum + quantity, 0n);
    const y = total > 600n ? 600n : total;
    const { n, y: sum, yy } = expected.get(cell) ?? { n: 0, y: 0n, yy: 0n };
    expected.set(cell, { n: n + 1, y: sum + y, yy: yy + y * y });
  }
  const found = new Map<string, { n: number; y: bigint; yy: bigint }>();
  for (let shard = 0; shard < limits.experimentShards && !stage.violated; shard++) {
    const to = unitsAddress(devTenantId, known.id, shard);
    const sums = (await ask(stage, to, "experiment_units.Sums")) as ShardSums | undefined;
    for (const { phase, variant, n, terms } of sums?.cells ?? []) {
      if (n === 0) continue;
      const cell = `${phase}.${variant}`;
      const into = found.get(cell) ?? { n: 0, y: 0n, yy: 0n };
      const [y, yy] = terms[0]!.map(BigInt) as [bigint, bigint];
      found.set(cell, { n: into.n + n, y: into.y + y, yy: into.yy + yy });
    }
  }
  if (stage.violated) return;
  const text = (cells: typeof found) =>
    [...cells]
      .map(([cell, { n, y, yy }]) => `${cell}: ${n} ${y} ${yy}`)
      .sort()
      .join(", ");
  if (text(found) !== text(expected)) known.violate(`sums are ${text(found)}, not ${text(expected)}`);
  stage.scheduler.note(text(found));
}
