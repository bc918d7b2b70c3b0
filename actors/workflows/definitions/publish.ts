import { limits, type Refusal, refuse } from "#base";
import type { Message } from "../../kit/record.ts";
import { noticeErrors, templatesOf } from "../../notify/notice.ts";
import type { CheckTemplatesRequest } from "../../notify/outbound/types.ts";
import { placedSteps, type Step, saysNotice } from "../body/body.ts";
import { stepTypeOf } from "../steps/index.ts";

interface Needed {
  readonly path: string;
  readonly permission: string;
}

/** Every permission that the steps of a draft need, and what it says for notifications, with where it is needed. */
export function neededBy(draft: Message): readonly Needed[] {
  const steps = stepsOf(draft.steps).flatMap(({ path, step }) => {
    const permission = stepTypeOf(step.type)?.permission;
    return permission === undefined ? [] : [{ path, permission }];
  });
  const part = ["channels", "preference", "ttl_seconds"].find((name) => draft[name] !== undefined);
  return part !== undefined && saysNotice(draft)
    ? [...steps, { path: part, permission: "notification:write" }]
    : steps;
}

/** None of a draft that is not in order: it is not published. */
function stepsOf(steps: unknown): ReturnType<typeof placedSteps> {
  try {
    return Array.isArray(steps) ? placedSteps(steps as Step[], "steps") : [];
  } catch {
    return [];
  }
}

/** `at`: what the paths are in. */
export function lacking(missing: readonly Needed[], at: string): Refusal {
  const [{ path, permission }] = missing as [Needed];
  return refuse("PERMISSION_DENIED", `${at}.${path} needs ${permission}, which the caller lacks`, {
    fields: missing.slice(0, limits.fieldErrorsMax).map((needed) => ({
      field: `${at}.${needed.path}`,
      reason: `needs ${needed.permission}, which the caller lacks`,
    })),
  });
}

/** What render threads are asked about before a version is made. None of a draft that has other problems there. */
export function templatesIn(draft: Message): CheckTemplatesRequest["templates"] {
  if (noticeErrors(draft).length > 0) return [];
  return templatesOf(draft, (channel) => `draft.channels.${channel}`);
}
