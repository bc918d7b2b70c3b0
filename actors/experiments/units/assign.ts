import type { Context } from "#runtime";
import { fullBudget, spentOf } from "../../cel/command-budget.ts";
import { slotOf, variantAt } from "../hash.ts";
import { targetingCel } from "../settings.ts";
import type { Snapshot } from "../snapshot.ts";
import type { Unit } from "./unit.ts";

export interface Assigning {
  readonly unitId: string;
  readonly attributes: unknown;
}

type Reason =
  | "completed"
  | "stopped"
  | "override"
  | "previous_phase"
  | "sticky"
  | "paused"
  | "not_targeted"
  | "group"
  | "not_covered"
  | "assigned";

/** What a receipt proves. */
export type Proven = Pick<Unit, "variant" | "phase" | "exposedAt">;

export interface Assigned {
  /** Index. */
  readonly variant: number;
  readonly reason: Reason;
  /** Where the unit takes part. */
  readonly proven?: Proven;
}

/** The rules that come first: they do not look at what is stored of the unit. */
export function assignUnread(snapshot: Snapshot, unitId: string): Assigned | undefined {
  const { status, control, winner, overrides, variants } = snapshot;
  if (status === "completed") return { variant: winner ?? control, reason: "completed" };
  if (status === "stopped") return { variant: control, reason: "stopped" };
  if (!Object.hasOwn(overrides, unitId)) return undefined;
  return { variant: variants.findIndex(({ key }) => key === overrides[unitId]), reason: "override" };
}

/** The others, in order: the first that holds decides. */
export function assignUnit(
  snapshot: Snapshot,
  { unitId, attributes }: Assigning,
  unit: Unit | null,
  context: Context,
): Assigned {
  const out = (reason: Reason): Assigned => ({ variant: snapshot.control, reason });
  if (unit) {
    if (unit.phase < snapshot.firstPhase) return out("previous_phase");
    return { variant: unit.variant, reason: "sticky", proven: unit };
  }
  if (snapshot.status === "paused") return out("paused");
  if (!isTargeted(snapshot, { unitId, attributes }, context)) return out("not_targeted");
  if (!isInGroup(snapshot, unitId)) return out("group");
  const slot = slotOf(snapshot.hashVersion, snapshot.salt, unitId);
  const variant = variantAt(slot, snapshot.weights, snapshot.coverage);
  if (variant < 0) return out("not_covered");
  return { variant, reason: "assigned", proven: { variant, phase: snapshot.phase, exposedAt: context.now } };
}

/** An expression that fails, or is not a boolean, takes no unit. */
function isTargeted({ targeting }: Snapshot, { unitId, attributes }: Assigning, context: Context): boolean {
  if (targeting === "") return true;
  const compiled = targetingCel.compile(targeting);
  if ("problems" in compiled) return false;
  const commandBudget = fullBudget();
  const bindings = targetingCel.bind({ attributes, unit_id: unitId, now: context.now }, commandBudget);
  const value = compiled.program.run(bindings);
  context.spend(spentOf(commandBudget));
  return value === true;
}

/** Slots of a group come from the group's id: those of the variants do not depend on them. */
function isInGroup({ group }: Snapshot, unitId: string): boolean {
  if (!group) return true;
  const slot = slotOf("sha256_v1", group.id, unitId);
  return slot >= group.start && slot < group.start + group.share;
}
