import { digestOf, invalid, isRefusal, limits, type Refusal, refuse, uncanonical } from "#base";
import type { AddArtifactRequest } from "#protos";
import type { Context, Decision } from "#runtime";
import { limitReached } from "../kit/record.ts";
import { type Artifact, artifactMessage, type Pack } from "./record.ts";
import { artifacts, contentRows, type Event } from "./state.ts";

/** The same content twice is one artifact. */
export function addArtifact(pack: Pack, given: AddArtifactRequest, context: Context): Decision<Event> {
  const measured = measure(given);
  if (isRefusal(measured)) return measured;
  const known = artifacts.ownerOf("digests", measured.digest, context);
  if (known !== null) return getArtifact(pack, known, context, false);
  if (pack.artifacts.length >= limits.evidenceArtifactsMax)
    return limitReached("a pack", limits.evidenceArtifactsMax, "artifacts");
  const { name, media_type: mediaType = "", storage_ref: storageRef = "", content } = given;
  const artifact: Artifact = {
    id: context.newId(context.address.key),
    name,
    mediaType: mediaType || "application/json",
    ...measured,
    storageRef,
    hasContent: content !== undefined,
    createdAt: context.now,
  };
  return {
    events: [
      { type: "artifact_added", artifact, ...(content !== undefined && { content }), now: context.now },
    ],
    answer: artifactMessage(pack, artifact),
  };
}

/** Content is JSON, and its digest is worked out here; without content the caller knows both. */
function measure({
  content,
  digest = "",
  size,
  storage_ref,
}: AddArtifactRequest): { digest: string; size: number } | Refusal {
  if (content === undefined) {
    if (digest === "") return invalid({ field: "digest", reason: "is required where there is no content" });
    if (size === undefined)
      return invalid({ field: "size", reason: "is required where there is no content" });
    return { digest, size };
  }
  if (storage_ref) return invalid({ field: "storage_ref", reason: "is for artifacts without content" });
  const unfit = uncanonical(content, "content");
  if (unfit) return unfit;
  const bytes = Buffer.byteLength(JSON.stringify(content));
  if (bytes > limits.evidenceArtifactBytesMax)
    return invalid({
      field: "content",
      reason: `is ${bytes} bytes as JSON, more than ${limits.evidenceArtifactBytesMax}`,
    });
  const own = digestOf(content);
  if (digest !== "" && digest !== own)
    return invalid({ field: "digest", reason: `is not that of the content, which is ${own}` });
  return { digest: own, size: size ?? bytes };
}

export function getArtifact(pack: Pack, id: string, context: Context, whole = true): Decision<Event> {
  const artifact = artifacts.get(id, context);
  if (artifact === null) return refuse("NOT_FOUND", "there is no such artifact in this pack");
  const content = whole && artifact.hasContent ? context.get(contentRows, [id]) : undefined;
  return { events: [], answer: artifactMessage(pack, artifact, content) };
}
