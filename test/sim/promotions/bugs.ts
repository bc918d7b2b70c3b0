import type { ActivationMessage } from "../../../actors/kit/activation.ts";
import { liveDigest } from "../../../actors/pools/pool/content.ts";
import type { State as PoolState } from "../../../actors/pools/pool/state.ts";
import type { ContentKind } from "../../../actors/pools/pool/version-content.ts";
import { State as RouterState } from "../../../actors/pools/router/state.ts";
import type { State as PromotionState } from "../../../actors/promotions/state.ts";
import type { AnyActorDefinition, Context, Decision } from "../../../runtime/index.ts";
import { type PlantedBug, replace } from "../planted.ts";

type Message = { readonly type: string; readonly [name: string]: unknown };
type Decide = (state: object, command: unknown) => Decision<unknown>;

/** Bugs of promotions, of the pools that they change, and of the evidence that they use. */
export const promotionsBugs: readonly PlantedBug[] = [
  {
    name: "a promotion does not compare what is in force",
    breakActor: deciding("pool", (decide, state, command) => {
      if (command.type !== "activation") return decide(state, command);
      const { artifacts } = command as unknown as ActivationMessage;
      const live = artifacts.map((artifact) => ({
        ...artifact,
        base: state.pool
          ? liveDigest(state as unknown as PoolState, artifact.kind as ContentKind)
          : artifact.base,
      }));
      return decide(state, { ...command, artifacts: live });
    }),
  },
  {
    name: "targets are activated before all are prepared",
    breakActor: deciding("promotion", (decide, state, command) => {
      const { round } = state as unknown as PromotionState;
      if (command.type !== "activation_answer" || command.step !== "prepare" || !round)
        return decide(state, command);
      return decide({ ...state, round: { ...round, waiting: [command.targetId] } }, command);
    }),
  },
  {
    name: "a promotion that ends leaves its canary",
    breakActor: applying("promotion", (event) => ({
      ...event,
      ...(event.tell !== undefined && { tell: ["release"] }),
    })),
  },
  {
    name: "a key changes its side when the share rises",
    plant: () =>
      replace(RouterState.prototype, "setCanary", (set, [table, counts], self) => {
        set(table, counts);
        const candidateId = `${table.candidateId}${table.shares.length}`;
        self.canary = { ...self.canary!, table: { ...table, candidateId } };
      }),
  },
  {
    name: "an approval survives new evidence",
    breakActor: deciding("promotion", (decide, state, command) => {
      const { candidate } = state as unknown as PromotionState;
      const digest = candidate?.approvals[0]?.bound.pack_digest;
      if (command.type === "pack_changed") return { events: [] };
      return decide(
        state,
        command.type === "gated" && digest !== undefined ? { ...command, digest } : command,
      );
    }),
  },
  {
    name: "a heartbeat goes past the deadline",
    breakActor: applying("evidence_pack", (event) => {
      const { run } = event as { run?: Message & { leaseSeconds: number; updatedAt: number } };
      if (event.type !== "run_put" || run?.state !== "running") return event;
      return { ...event, run: { ...run, leaseExpiresAt: run.updatedAt + run.leaseSeconds * 1_000 } };
    }),
  },
];

function deciding(
  kind: string,
  instead: (decide: Decide, state: Message, command: Message) => Decision<unknown>,
): NonNullable<PlantedBug["breakActor"]> {
  return (actor: AnyActorDefinition) =>
    actor.kind !== kind
      ? actor
      : {
          ...actor,
          decide(state, command, context: Context) {
            const decide: Decide = (given, asked) => actor.decide(given, asked, context);
            return instead(decide, state as Message, command as Message);
          },
        };
}

function applying(kind: string, instead: (event: Message) => Message): NonNullable<PlantedBug["breakActor"]> {
  return (actor: AnyActorDefinition) =>
    actor.kind !== kind
      ? actor
      : { ...actor, apply: (state, event, rows) => actor.apply(state, instead(event as Message), rows) };
}
