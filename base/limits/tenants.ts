/** Tenants: what threads know of them, their purge, their quotas. */
export const tenantsLimits = {
  /** Tenants that one thread knows the facts of; a kilobyte or so each. Of others it asks again. */
  tenantsKnownMax: 10_000,
  /** Rows and steps from one partition to another in one step of measuring what tenants store: about a millisecond. */
  measureStepsMax: 500,
  /** How often what tenants store is measured, at most; and how many times as long as it took it pauses: 5 % of a thread. */
  storageMeasureMs: 1_000,
  storageMeasurePauses: 19,
  /** Changed tenants that one re-read names: a thread that missed more asks again at once. */
  tenantChangesMax: 1_000,
  /** How often a thread asks which tenants have changed: with the broadcast lost, a change is known within a second. */
  tenantsReadMs: 500,
  /** After a deletion: longer than a thread needs to know of it, and than a request that was taken before usually lasts. */
  tenantPurgeAfterMs: 60_000,
  /** Entities of a deleted tenant that are told to go at once, and how often its directory looks for more. */
  purgeStepMax: 100,
  purgeStepMs: 1_000,
  /** When what stayed (a legal hold) is told again. */
  purgeAgainMs: 600_000,
  /** What operations without a limit used is told to the quotas this often. */
  quotaNotesMs: 1_000,
} as const;
