import type { Connection, Session } from "../../../actors/connectors/connection/record.ts";
import type { State } from "../../../actors/connectors/connection/state.ts";
import type { EffectStep } from "../../../runtime/index.ts";
import { type PlantedBug, replace } from "../planted.ts";
import { played } from "./played.ts";

type Command = { readonly type: string; readonly step?: EffectStep };

/** Bugs of connections: of their calls, refreshes and sessions. */
export const connectorsBugs: readonly PlantedBug[] = [
  {
    name: "a call leaves before its mark is durable",
    plant: () =>
      replace(played, "begin", async (begin, [run]) => {
        begin(run).catch(() => {});
      }),
  },
  {
    name: "the mark of a call is skipped",
    plant: () => replace(played, "begin", async () => undefined),
  },
  {
    name: "two refreshes at once",
    breakActor: (actor) =>
      actor.kind !== "connection"
        ? actor
        : {
            ...actor,
            decide(state, command, context) {
              if ((command as Command).type !== "attempt") return actor.decide(state, command, context);
              const known = state as State;
              return actor.decide(
                { ...known, refresh: { ...known.refresh, working: false } },
                command,
                context,
              );
            },
          },
  },
  {
    name: "a state is consumed twice",
    breakActor: (actor) =>
      actor.kind !== "connection"
        ? actor
        : {
            ...actor,
            apply(state, event, rows) {
              const { type, session } = event as { type: string; session: Session };
              if (type !== "session_put" || session.authorization) return actor.apply(state, event, rows);
              const before = (state as State).sessions.get(session.id)?.authorization;
              const kept = before ? { ...session, authorization: before } : session;
              actor.apply(state, { ...(event as object), session: kept }, rows);
            },
          },
  },
  {
    name: "credentials of an older version are stored",
    breakActor: (actor) =>
      actor.kind !== "connection"
        ? actor
        : {
            ...actor,
            decide(state, command, context) {
              const { step } = command as Command;
              const result = step?.type === "done" ? (step.result as { type?: string }) : undefined;
              if (result?.type !== "refreshed") return actor.decide(state, command, context);
              const { version } = (result as { credentials: Connection["credentials"] }).credentials;
              const known = state as State;
              const record = known.record!;
              const older = { ...record, credentials: { ...record.credentials, version: version - 1 } };
              const generation = Number(step!.id.split(".")[1]);
              return actor.decide(
                { ...known, record: older, refresh: { ...known.refresh, generation } },
                command,
                context,
              );
            },
          },
  },
];
