import { errorCodes, invalid, isRefusal, limits, type Refusal, RefusalError } from "#base";
import type { ScoreEntry as ScoreRequest } from "#protos";
import { batchError } from "../../kit/batch.ts";
import { tenantSecretOf } from "../../kit/tenants.ts";
import type { CallContext, Handler } from "../../module.ts";
import { openReceipt, unitKeyOf } from "../receipt.ts";
import type { UnitCommand } from "../units/decide.ts";
import type { ExposureEntry, Outcome, ScoreEntry } from "../units/work.ts";
import { askUnits, getSnapshot } from "./ask-units.ts";

export const recordExposures: Handler<"ExperimentService.RecordExposures"> = async (request, call) => {
  const { experiment_id, exposures } = request;
  const secret = await tenantSecretOf(call);
  const entries = exposures.map(({ receipt, covariates = {} }) => {
    const opened = openReceipt(secret, experiment_id, receipt);
    if (!opened) return badReceipt();
    const { key, shard, proven } = opened;
    return { shard, entry: { key, proven, covariates } satisfies ExposureEntry };
  });
  const answers = await eachShard<ExposureEntry, Outcome>(call, experiment_id, "expose", entries);
  return { results: resultsOf(answers, (outcome) => ({ outcome })) };
};

export const recordScore: Handler<"ExperimentService.RecordScore"> = async (request, call) => {
  const { experiment_id, ...score } = request;
  const entry = scoreEntry(await tenantSecretOf(call), experiment_id, score);
  const [answer] = await eachShard<ScoreEntry, object>(call, experiment_id, "score", [entry]);
  if (isRefusal(answer)) throw new RefusalError(answer);
  return answer;
};

export const recordScores: Handler<"ExperimentService.RecordScores"> = async (request, call) => {
  const { experiment_id, scores } = request;
  const secret = await tenantSecretOf(call);
  const entries = scores.map((score) => scoreEntry(secret, experiment_id, score));
  const answers = await eachShard<ScoreEntry, object>(call, experiment_id, "score", entries);
  return { results: resultsOf(answers, (score) => ({ score })) };
};

function resultsOf<Answer>(answers: readonly (Answer | Refusal)[], told: (answer: Answer) => object) {
  return answers.map((answer, index) =>
    isRefusal(answer) ? { index, error: batchError(answer) } : { index, ...told(answer) },
  );
}

interface Placed<Entry> {
  readonly shard: number;
  readonly entry: Entry;
}

function scoreEntry(secret: string, experimentId: string, score: ScoreRequest): Placed<ScoreEntry> | Refusal {
  const { receipt, unit_id, score_id: scoreId, metric, value, occurred_at } = score;
  if ((receipt === undefined) === (unit_id === undefined))
    return invalid({ field: "unit_id", reason: "either this or receipt has to be given" });
  const opened = receipt === undefined ? undefined : openReceipt(secret, experimentId, receipt);
  if (receipt !== undefined && !opened) return badReceipt();
  const { key, shard } = opened ?? unitKeyOf(secret, experimentId, unit_id!);
  return {
    shard,
    entry: {
      key,
      scoreId,
      metric,
      ...(value !== undefined && { value }),
      ...(occurred_at !== undefined && { occurredAt: Date.parse(occurred_at) }),
      ...(opened && { proven: opened.proven }),
    },
  };
}

function badReceipt(): Refusal {
  return invalid({ field: "receipt", reason: "is not a receipt of this experiment" });
}

/** Answers in the order of the entries; each shard decides its own in one commit. */
async function eachShard<Entry, Answer>(
  call: CallContext,
  experimentId: string,
  type: "expose" | "score",
  entries: readonly (Placed<Entry> | Refusal)[],
): Promise<readonly (Answer | Refusal)[]> {
  const answers: (Answer | Refusal)[] = new Array(entries.length);
  const byShard: number[][] = Array.from({ length: limits.experimentShards }, () => []);
  for (const [index, placed] of entries.entries()) {
    if (isRefusal(placed)) answers[index] = placed;
    else byShard[placed.shard]!.push(index);
  }
  const ask = async (indexes: readonly number[], shard: number) => {
    const sent = indexes.map((index) => (entries[index] as Placed<Entry>).entry);
    const command = { type, entries: sent } as unknown as UnitCommand;
    const found = await settled(
      askUnits<(Answer | Refusal)[]>(call, { experimentId, shard, command, step: `${shard}` }),
    );
    for (const [i, index] of indexes.entries()) answers[index] = isRefusal(found) ? found : found[i]!;
  };
  // No shard is asked: that there is no such experiment has to be said all the same.
  if (entries.every(isRefusal)) await getSnapshot(call, experimentId);
  const asked = byShard.map((indexes, shard) => (indexes.length > 0 ? ask(indexes, shard) : undefined));
  await Promise.all(asked);
  return answers;
}

/** A shard that cannot answer just now refuses its entries; that there is no such experiment is the answer to all. */
async function settled<Answer>(asked: Promise<Answer>): Promise<Answer | Refusal> {
  try {
    return await asked;
  } catch (thrown) {
    if (!(thrown instanceof RefusalError) || !errorCodes[thrown.refusal.code].retryable) throw thrown;
    return thrown.refusal;
  }
}
