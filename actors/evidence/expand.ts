import type { Requirement } from "../kit/evidence-gate.ts";

export interface ArtifactRef {
  readonly kind: "routing" | "strategy" | "workflow" | "connector";
  readonly id: string;
  readonly version: number;
  readonly digest: string;
}

/** Of the rules below: another rule is another version. */
export const expansionVersion = "v1";

const day = 86_400;

/** Which evidence the artifacts of a candidate call for. */
export function expandRequirements(
  artifacts: readonly ArtifactRef[],
  redirects: boolean,
): readonly Requirement[] {
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
  return [...before, { ...canary, phase: "approval", dependsOn: before.map(({ id }) => id) }];
}

function ofArtifact({ kind, id, digest }: ArtifactRef): readonly Requirement[] {
  const about = (type: "scenario" | "strategy" | "connector", maxAgeSeconds: number) => [
    { ...requirement(`${type}:${kind}:${id.toLowerCase()}`, type, maxAgeSeconds), subject: digest },
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

function requirement(
  id: string,
  receiptType: Requirement["receiptType"],
  maxAgeSeconds: number,
): Requirement {
  return {
    id,
    receiptType,
    subject: "",
    phase: "canary",
    maxAgeSeconds,
    producerSigned: false,
    dependsOn: [],
  };
}
