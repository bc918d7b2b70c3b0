import { admissionMethods } from "./handlers/admission-methods.ts";
import { controlMethods } from "./handlers/control-methods.ts";
import { deadLetterMethods } from "./handlers/dead-letter-methods.ts";
import { jobMethods } from "./handlers/job-methods.ts";
import type { Methods } from "./handlers/method.ts";
import { queueMethods } from "./handlers/queue-methods.ts";

/** What the queue of one pool answers, by service of the contract. */
export const methods: Methods = {
  ...queueMethods,
  ...controlMethods,
  ...admissionMethods,
  ...deadLetterMethods,
  ...jobMethods,
};
