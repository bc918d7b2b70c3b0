import type { ExpandRequirementsRequest } from "#protos";
import type { Requirement } from "../kit/evidence-gate.ts";

type ArtifactRef = ExpandRequirementsRequest["artifacts"][number];

/** Of the rules below: another rule is another version. */
export const expansionVersion = "v1";

const day = 86_400;

/** Which evidence the artifacts of a candidate call for. */
export function expandRequirements({
  artifacts,
  redirects,
}: ExpandRequirementsRequest): readonly Requirement[] {
  const before = [
    ...artifacts.flatMap(ofArtifact),
    ...(artifacts.some(({ kind }) => kind !== "workflow")
      ? [requirement("runtime", "runtime", 7 * day)]
      : []),
    ...(redirects || artifacts.length > 1 || artifacts.some(({ kind }) => kind === "workflow")
      ? [requirement("graph", "graph", 30 * day)]
      : []),
  ];
  const canary = requirement("canary", "canary", day);
  return [...before, { ...canary, phase: "approval", depends_on: before.map(({ id }) => id) }];
}

function ofArtifact({ kind, id, digest }: ArtifactRef): readonly Requirement[] {
  const about = (type: "scenario" | "strategy" | "connector", max_age_seconds: number) => [
    { ...requirement(`${type}:${kind}:${id.toLowerCase()}`, type, max_age_seconds), subject: digest },
  ];
  switch (kind) {
    case "routing":
    case "workflow":
      return about("scenario", 7 * day);
    case "strategy":
      return about("strategy", 7 * day);
    case "connector":
      return about("connector", day);
  }
}

function requirement(id: string, receipt_type: Requirement["receipt_type"], max_age_seconds: number) {
  const open = { subject: "", phase: "canary" as const, producer_signed: false, depends_on: [] };
  return { ...open, id, receipt_type, max_age_seconds };
}
