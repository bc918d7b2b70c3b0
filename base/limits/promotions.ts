/** Promotions, evidence, conformance. */
export const promotionsLimits = {
  /** Of a pool, besides those in use: what a year of weekly changes leaves, several times over. */
  poolVersionsMax: 200,
  poolVersionBytesMax: 256 * 1_024,
  /** Of a tenant that are not over: each may hold a canary. */
  promotionsOpenMax: 100,
  /** Candidates that a list asks at once: each answers with what its preflight found. */
  promotionsAskedAtOnce: 20,
  promotionChecksMax: 50,
  /** Of one artifact in a preflight: more than anybody reads, and all of them fit an answer. */
  promotionImpactsMax: 100,
  /** Larger shares of one canary that a target refused: the others keep each of them and its taking back, to know sides of earlier keys. */
  promotionRaisesRefusedMax: 20,
  /** How long a caller waits for the targets of an operation before it is told what is still missing. */
  promotionParkMs: 10_000,
  /** Between two looks at a canary: some hundred looks while it runs, so each has a z of 3.29. */
  promotionLookMs: 30_000,
  /** An operation by timer that meets one of a caller tries again after it. */
  promotionAgainMs: 1_000,

  /** A JSON Schema of a tenant: how deep it goes, how many errors of a value are told, and how much of a schema each repeats. */
  schemaDepthMax: 16,
  schemaErrorsMax: 20,
  schemaToldLengthMax: 256,
  /**
   * Of one check of a value, or of a schema itself: a step is one of CEL, a quarter of a microsecond, so 100 ms at worst. The
   * largest input of a workflow with a plain schema takes a tenth of it.
   */
  schemaStepsMax: 400_000,

  /** Evidence of a tenant: what its directory lists, and the gate of one pack has in memory. */
  evidencePacksOpenMax: 1_000,
  evidenceArtifactsMax: 200,
  evidenceArtifactBytesMax: 256 * 1_024,
  evidenceReceiptsMax: 1_000,
  evidenceRunsOpenMax: 20,
  evidenceRunsMax: 1_000,
  /** Free-form details of a receipt, as JSON. */
  evidenceDetailsBytesMax: 16 * 1_024,
  /** A producer's clock may be this far ahead of ours. */
  evidenceClockSkewMs: 60_000,
  /** How old a receipt may be, and how long it may hold: 400 days, a yearly audit and a month. */
  evidenceAgeMsMax: 400 * 24 * 3_600_000,
  /** Receipts that an explanation tells beside the one that decided. */
  evidenceOthersMax: 20,
  /** Packs that a list asks at once. */
  evidencePacksAskedAtOnce: 50,
  /** Keys of producers that one tenant trusts: each signature is tried with each of them. */
  evidenceTrustedKeysMax: 20,
  /** Of a signed receipt, in base64. */
  evidenceEnvelopeBytesMax: 128 * 1_024,
  evidenceSignaturesMax: 10,
  /** A suite of conformance cases: `all` has to fit into a request with its deadline. */
  conformanceSuiteMs: 25_000,
  conformanceCasesAtOnce: 4,
  conformanceDetailLengthMax: 300,
  /** A sandbox tenant is gone after this, whatever becomes of its run. */
  conformanceSandboxMs: 900_000,
  /** Left of a run's deadline for its report. */
  conformanceMarginMs: 2_000,
  conformanceReportsMax: 200,
} as const;
