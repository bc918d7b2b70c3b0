import { cases as admission } from "./admission.ts";
import { cases as apiKey } from "./api-key.ts";
import type { Case } from "./case.ts";
import { cases as deadLetter } from "./dead-letter.ts";
import { cases as discovery } from "./discovery.ts";
import { cases as event } from "./event.ts";
import { cases as pool } from "./pool.ts";
import { cases as probe } from "./probe.ts";
import { cases as queue } from "./queue.ts";
import { cases as queueControl } from "./queue-control.ts";
import { cases as recipient } from "./recipient.ts";
import { cases as routing } from "./routing.ts";
import { cases as rule } from "./rule.ts";
import { cases as runtime } from "./runtime.ts";

/** What every door must answer alike, by area. An RPC that no good and no bad case names fails the checks. */
export const casesByArea: Readonly<Record<string, readonly Case[]>> = {
  admission,
  apiKey,
  deadLetter,
  discovery,
  event,
  pool,
  probe,
  queue,
  queueControl,
  recipient,
  routing,
  rule,
  runtime,
};
