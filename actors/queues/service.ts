import { admissionMethods } from "./doors/admission-methods.ts";
import { controlMethods } from "./doors/control-methods.ts";
import { deadLetterMethods } from "./doors/dead-letter-methods.ts";
import type { Methods } from "./doors/method.ts";
import { queueMethods } from "./doors/queue-methods.ts";

/** What the queue of one pool answers, by service of the contract. */
export const methods: Methods = {
  ...queueMethods,
  ...controlMethods,
  ...admissionMethods,
  ...deadLetterMethods,
};
