import { limits } from "#base";
import { method } from "../kit/ask.ts";
import type { Directory } from "../kit/directory.ts";
import { promotionAddress } from "../kit/evidence.ts";
import { type Message, newRecord } from "../kit/record.ts";
import { type Candidate, type CandidateCreation, candidateMessage } from "./record.ts";

/** What the handler has made of a create: artifacts with their digests, and who cannot approve. */
export type NewCandidate = Pick<
  Candidate,
  "environment" | "name" | "artifacts" | "digest" | "guardrails" | "makers"
>;

export const makeCandidate = method<NewCandidate, Message>("directory", "MakeCandidate");

/** Candidates by id, newest first. */
export const promotionDirectory: Directory<NewCandidate> = {
  kind: "promotion",
  filters: ["state", "environment", "open"],
  order: "descending",
  limit: { most: limits.promotionsOpenMax, many: "open promotions", where: { open: true } },
  create: {
    method: makeCandidate.name,
    make(id, given, context) {
      const { tenant } = context.address;
      const candidate: Candidate = newRecord(
        id,
        {
          ...given,
          tenant,
          state: "created" as const,
          createdBy: context.caller?.subject ?? "",
          makers: [...new Set([context.caller?.owner ?? "", ...given.makers])],
          bases: {},
          approvals: [],
          handles: [],
        },
        context.now,
      );
      const body: CandidateCreation = { type: "create", candidate };
      const entry = { id, name: given.name, state: "created", environment: given.environment, open: true };
      const message = { to: promotionAddress(tenant, id), body };
      return { entry, message, answer: candidateMessage(candidate, { checks: [] }) };
    },
  },
};
