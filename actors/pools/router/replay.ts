import { hash32, limits } from "#base";
import type { Candidate, RotationClock, Strategy } from "../router.ts";
import { type Draw, pick, seedOf, sumsOf, twoChoices } from "../strategy.ts";
import { type LiveRecipient, recipientHash } from "./recipient.ts";
import type { RoutingRecord, SampleRow } from "./record.ts";
import type { RouteView } from "./route-view.ts";
import type { TableRecord } from "./rows.ts";

/** The part of a record that depends on the candidates. */
export function recordCandidates(
  state: RouteView,
  candidates: readonly LiveRecipient[],
  chosen: LiveRecipient,
  draw: Draw,
): Pick<RoutingRecord, "members" | "inputs" | "sample" | "digest"> {
  if (state.recipients.size <= limits.recordedCandidatesMax) {
    const inputs = inputsOf(state, candidates, draw);
    return { members: membersOf(state.sorted, candidates), inputs, sample: empty, digest: 0 };
  }
  const fixed = candidates === state.ready ? fixedDigestOf(state.ready) : fixedDigest(candidates);
  const digest = liveDigest(state.strategy, candidates, fixed);
  return { members: empty, inputs: empty, sample: sampleOf(candidates, chosen, draw), digest };
}

const empty: readonly never[] = [];

/** Decides again from what was recorded. */
export function verify(id: string, record: RoutingRecord, table: TableRecord | null) {
  const draw: Draw = {
    seed: seedOf(id, 0, record.version),
    cost: record.cost,
    skills: record.skills,
    key: record.drawKey || record.key,
  };
  const complete = record.sample.length === 0 && table !== null;
  const candidates = complete ? candidatesOf(record, table) : record.sample.map(sampled);
  const clock = clockIn(record);
  const again = candidates[pick(record.strategy, candidates, draw, clock)]?.id ?? "";
  // Of a sample only those strategies can be checked that compare: the recorded one must be the best of the sample too.
  const compares = complete || comparing.has(record.strategy);
  const known = candidates.some((candidate) => candidate.id === record.recipientId);
  return {
    matches: compares ? again === record.recipientId : known,
    complete,
    recipient_id: compares ? again : record.recipientId,
  };
}

const comparing: ReadonlySet<Strategy> = new Set(["longest_idle"]);

/** Only what the strategy reads and the table does not have. */
function inputsOf(view: RouteView, candidates: readonly Candidate[], draw: Draw): readonly number[] {
  switch (view.strategy) {
    case "weighted_random":
    case "priority":
      return [];
    case "round_robin":
      return [view.clock.numerator, view.clock.weight, ...candidates.map(({ picks }) => picks)];
    case "least_loaded":
    case "sticky_hash":
      return candidates.some(({ inFlight }) => inFlight > 0)
        ? candidates.map(({ inFlight }) => inFlight)
        : [];
    case "two_choice": {
      if (candidates.length < 2) return [];
      const sums = candidates === view.ready ? sumsOf(view.ready) : undefined;
      const [first, second] = twoChoices(candidates, draw, sums);
      return [first, candidates[first]!.inFlight, second, candidates[second]!.inFlight];
    }
    case "longest_idle":
    case "skills":
      return relativeOrders(candidates);
  }
}

/** Distances from the newest are small numbers, so they are short to write. */
function relativeOrders(candidates: readonly Candidate[]): number[] {
  let newest = 0;
  for (const { order } of candidates) if (order > newest) newest = order;
  return candidates.map(({ order }) => newest - order);
}

function candidatesOf(record: RoutingRecord, table: TableRecord): Candidate[] {
  const rows = table.recipients.filter((_, index) => isMember(record.members, index));
  const candidates = rows.map(([id, weight, capacity, tier, skills]) =>
    candidate({ id, weight, capacity, tier, skills: skills ?? {} }),
  );
  const { inputs } = record;
  switch (record.strategy) {
    case "weighted_random":
    case "priority":
      return candidates;
    case "round_robin":
      return candidates.map((one, index) => ({ ...one, picks: inputs[index + 2] ?? 0 }));
    case "least_loaded":
    case "sticky_hash":
      return candidates.map((one, index) => ({ ...one, inFlight: inputs[index] ?? 0 }));
    case "two_choice": {
      const [first, firstLoad = 0, second, secondLoad = 0] = inputs;
      return candidates.map((one, index) => ({
        ...one,
        inFlight: index === first ? firstLoad : index === second ? secondLoad : 0,
      }));
    }
    case "longest_idle":
    case "skills":
      return candidates.map((one, index) => ({ ...one, order: -(inputs[index] ?? 0) }));
  }
}

function clockIn({ strategy, inputs }: RoutingRecord): RotationClock {
  return strategy === "round_robin" && inputs.length > 1
    ? { numerator: inputs[0]!, weight: inputs[1]! }
    : { numerator: 0, weight: 1 };
}

function sampled([id, weight, capacity, tier, inFlight, order, picks]: SampleRow): Candidate {
  return { ...candidate({ id, weight, capacity, tier, skills: {} }), inFlight, order, picks };
}

function candidate(fixed: Pick<Candidate, "id" | "weight" | "capacity" | "tier" | "skills">): Candidate {
  return { ...fixed, hash: recipientHash(fixed.id), inFlight: 0, order: 0, picks: 0 };
}

/** The chosen one first, then some spread over the rest. */
function sampleOf(candidates: readonly LiveRecipient[], chosen: LiveRecipient, draw: Draw): SampleRow[] {
  const step = Math.max(1, Math.floor(candidates.length / limits.recordedSampleMax));
  const sample = [sampleRow(chosen)];
  for (let i = hash32(draw.seed) % step; i < candidates.length; i += step)
    if (candidates[i] !== chosen && sample.length < limits.recordedSampleMax)
      sample.push(sampleRow(candidates[i]!));
  return sample;
}

function sampleRow({ id, weight, capacity, tier, inFlight, order, picks }: Candidate): SampleRow {
  return [id, weight, capacity, tier, inFlight, order, picks];
}

/** Of a list that is replaced, never edited: found once. */
function fixedDigestOf(ready: readonly LiveRecipient[]): number {
  let digest = fixedDigests.get(ready);
  if (digest === undefined) {
    digest = fixedDigest(ready);
    fixedDigests.set(ready, digest);
  }
  return digest;
}

const fixedDigests = new WeakMap<readonly LiveRecipient[], number>();

function fixedDigest(candidates: readonly LiveRecipient[]): number {
  let digest = candidates.length;
  for (const { hash, weight } of candidates) digest = Math.imul(digest ^ hash ^ weight, 0x01000193);
  return digest >>> 0;
}

/** Together with the figures that the strategy read. */
function liveDigest(strategy: Strategy, candidates: readonly LiveRecipient[], fixed: number): number {
  let digest = fixed | 0;
  switch (strategy) {
    case "weighted_random":
    case "priority":
      break;
    case "round_robin":
      for (const { picks } of candidates) digest = Math.imul(digest ^ picks, 0x01000193);
      break;
    case "least_loaded":
    case "two_choice":
    case "sticky_hash":
      for (const { inFlight } of candidates) digest = Math.imul(digest ^ inFlight, 0x01000193);
      break;
    case "longest_idle":
    case "skills":
      for (const { order } of candidates) digest = Math.imul(digest ^ order, 0x01000193);
      break;
  }
  return digest >>> 0;
}

function membersOf(all: readonly LiveRecipient[], candidates: readonly LiveRecipient[]): readonly number[] {
  if (candidates.length === all.length) return empty;
  const words: number[] = new Array(Math.ceil(all.length / 32)).fill(0);
  let next = 0;
  for (let i = 0; i < all.length && next < candidates.length; i++)
    if (all[i] === candidates[next]) {
      words[i >>> 5] = (words[i >>> 5]! | (1 << (i & 31))) >>> 0;
      next++;
    }
  return words;
}

function isMember(words: readonly number[], index: number): boolean {
  return words.length === 0 || ((words[index >>> 5] ?? 0) & (1 << (index & 31))) !== 0;
}
