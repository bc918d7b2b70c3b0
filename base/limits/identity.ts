/** Secrets, API keys, tokens and their issuers. */
export const identityLimits = {
  /** A lease token is a bearer's proof: 128 bits cannot be guessed. */
  leaseTokenBytes: 16,
  /** Of a tenant or an entity: signs cursors, redacts, makes fingerprints. As long as the hash it keys. */
  secretBytes: 32,
  /** Of an API key: 256 bits cannot be guessed, so the cost of its hash bounds what a verification takes, not what a guess does. */
  apiKeySecretBytes: 32,
  apiKeyHashCost: 10,
  /** Longer ones are not looked at: `sy_`, 26 characters of id, `_`, 43 of secret. */
  apiKeyLength: 73,
  /** Keys of a tenant that are not revoked. */
  apiKeysActiveMax: 10_000,
  /** A list asks each key of its page when it was last used. */
  apiKeysAskedAtOnce: 50,
  apiKeyUsedEveryMs: 60_000,
  /** Verified keys in one thread's memory, and how long their records are believed: the backstop of a lost broadcast. */
  apiKeysVerifiedMax: 10_000,
  apiKeyVerifiedMs: 60_000,
  /** Hashes of one thread that wait: at 60 ms each the last one waits two seconds. */
  keyHashesWaitingMax: 32,
  /** Hashes of one thread at a time: the journal writes in the same four threads of the process. */
  keyHashesAtOnce: 1,
  /**
   * Bad keys of one source address a second and thread, and at once; and the addresses that are remembered. A hash takes
   * 55 ms: at two a second bad keys take a tenth of a core from those who have good ones.
   */
  badKeysPerSecond: 2,
  badKeysAtOnce: 50,
  badKeySourcesMax: 10_000,
  /** Of a bearer token: longer ones are not looked at. Headers have 16 KiB in all. */
  tokenLengthMax: 8_192,
  keyIdLengthMax: 256,
  /** How far the clocks of who issues tokens and of this service may be apart. */
  tokenClockToleranceMs: 60_000,
  serviceTokenSecondsMax: 300,
  /** Signs service tokens: as long as the hash it keys. */
  tokenSecretBytesMin: 32,
  /** An issuer's keys are fetched anew after the first; while it cannot be reached they are used until the second. */
  issuerKeysMs: 600_000,
  issuerKeysMsMax: 3_600_000,
  /** Between two fetches, whatever tokens come. */
  issuerCoolDownMs: 30_000,
  issuerTimeoutMs: 5_000,
  /** Open sessions of one principal: some browsers of one person; the oldest ends. */
  consoleSessionsMax: 20,
  /** Of a session's cookie: 256 bits cannot be guessed, and a key is made of them. */
  consoleSessionSecretBytes: 32,
  consoleSessionSeenEveryMs: 60_000,
  /** Sessions in one thread's memory, and how long they are believed: the backstop of a lost broadcast. */
  consoleSessionsOpenMax: 10_000,
  consoleSessionOpenMs: 5_000,
  /**
   * An access token is refreshed when it has less than the first left. One thread has the lease to do it, twice as long as an issuer
   * has to answer; where nothing comes of it, it is tried again after the last.
   */
  consoleSessionRefreshMs: 60_000,
  consoleSessionLeaseMs: 10_000,
  consoleSessionRetryMs: 5_000,
  /** The row of one that has ended: what still comes for it finds it. */
  consoleSessionEndedKeptMs: 3_600_000,
  /** From the way to the issuer to the way back. */
  signInMs: 600_000,
  /** Of the path that a sign-in leads back to: it is in a cookie. */
  signInPathLengthMax: 1_024,
} as const;
