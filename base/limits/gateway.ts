/** The doors: bodies, headers, connections, deadlines, streams, heaps of workers, rate limits, answers. */
export const gatewayLimits = {
  /** Defaults of the spec. */
  pageSizeDefault: 50,
  pageSizeMax: 1_000,
  pageBytesMax: 4 * 1_024 * 1_024,
  pageOffsetMax: 10_000,
  bodyBytesMax: 4 * 1_024 * 1_024,
  /** A request of the Model Context Protocol, and calls that one of 2025 may hold together. */
  mcpBodyBytesMax: 1_024 * 1_024,
  mcpBatchMax: 50,
  /** How long an assistant may keep the list of tools. */
  mcpListTtlMs: 300_000,
  /** Bodies that are not complete, of all connections of the process: 64 of the largest, and a small part of a heap. */
  requestMemoryMax: 256 * 1_024 * 1_024,
  /** Answers one connection leaves unread before no further request of it is answered: a quarter of the largest page. */
  connectionUnreadBytesMax: 1_024 * 1_024,
  /** Requests of HTTP/1.1 that wait behind one in progress on their connection: more than clients pipeline. */
  pipelinedMax: 1_000,
  /** Pieces that one body or message may come in: so many, and one more for every so many bytes. */
  piecesMax: 1_000,
  pieceBytesMin: 64,
  /** Files and sockets that clients do not get: journals, tables, threads and logs have some dozens. */
  descriptorsKept: 512,
  headerCountMax: 64,
  /** One header: a large token fits. All of them together: what Node's own parser takes. */
  headerBytesMax: 8 * 1_024,
  headersBytesMax: 16 * 1_024,
  /** Headers over the limit are still read up to here, so that a client with too many cookies is told so in JSON. */
  headersHeldBytesMax: 128 * 1_024,
  /** Paths whose route is remembered, and how long one may be: those of a thousand pools take less than 300 KiB. */
  knownPathsMax: 1_024,
  knownPathLengthMax: 128,
  /** How often calls that wait are looked through for one whose time is up. */
  deadlineTickMs: 100,
  /** A client that needs longer for its headers is not one of ours. */
  headersTimeoutMs: 10_000,
  /** An answer below this goes out as it is: it fits into a packet either way, and packing it costs 0.1 ms. */
  gzipBytesMin: 1_024,
  /**
   * Bodies that a thread packs or unpacks at once. A bomb of some KiB may grow to a whole body, and the pool of threads that
   * does it also writes the journal.
   */
  gzipsMax: 2,
  /** How often uWebSockets.js is told that a slow body or reader is still waited for: it closes connections that were slow for 10 s. */
  bodyKeepMs: 4_000,
  /** How often certificates are read again: they are renewed days before they end, and operators watch them do it. */
  certificatesLookMs: 10_000,
  /**
   * New space of a worker's heap under load, two halves of 32 MB; it starts small and shrinks at rest. Items live for some
   * milliseconds: with halves of 8 MB many outlived two collections and had to be found dead among the old ones.
   */
  youngGenerationMegabytes: 96,
  /**
   * Old generations of all workers, as a share of the memory there is: the rest is for young generations, buffers, the tables'
   * pages and the other threads. Of one worker: with less it does not start, more V8 gives no process either.
   */
  workersMemoryShareMax: 0.5,
  workerHeapMegabytesMin: 96,
  workerHeapMegabytesMax: 4_096,
  /** A thread that was quiet this long gives its young generation back: V8 wants five seconds. Only a small heap: 30 ms. */
  idleLookMs: 6_000,
  idleCollectionBytesMax: 64 * 1_024 * 1_024,
  /** Longer than the idle time of the usual load balancers, so that they close first. */
  keepAliveTimeoutMs: 75_000,
  jsonDepthMax: 64,
  requestTimeoutMs: 30_000,
  /** A caller may ask for a longer deadline than the default, up to this: an hour holds no slot for ever. */
  requestTimeoutMsMax: 3_600_000,
  /** A long poll answers after its wait; what it takes beyond that is the answer's own way. */
  longPollGraceMs: 5_000,
  /** A stream is opened anew once a day at least, so that a change of credentials or servers reaches it. */
  streamTimeoutMs: 86_400_000,
  /** How long a sender may finish a body that is not wanted any more, so that it gets to read why. */
  lingerMs: 1_000,
  /** How long a client may leave unread what it was sent by a call that is over or a server that stops; below its grace. */
  unreadMs: 5_000,
  /** Calls at once on one HTTP/2 connection: plenty for one client, and a reset flood stays small. */
  http2StreamsMax: 250,
  /** Of them, reset by the client within a second before they were answered: twice all it may have at once. */
  http2ResetsMax: 500,
  http2SessionMegabytesMax: 16,
  /**
   * A client that is gone without a word (a lost network, a machine without power) is noticed by a ping without an answer:
   * so often they are sent, and so long one may take. TCP notices after a quarter of an hour, and only where it sends.
   */
  http2PingMs: 30_000,
  http2PingAnswerMs: 20_000,
  /** A long connection pins a client to one process; after this it is asked to come again. */
  connectionAgeMs: 1_800_000,
  connectionAgeGraceMs: 30_000,
  /** Token buckets in a thread's memory, the least used beyond it are forgotten (and full again). */
  rateBucketsMax: 100_000,
  /**
   * How long a thread may keep tokens of a shared bucket, and how old its refusal may be: a tenth of a second's tokens at most
   * lie unused in an idle thread, and a busy one asks ten times a second instead of once a call.
   */
  rateLeaseMs: 100,
  /** How long a thread that ends waits for its last traces to be taken: a collector that works needs a fraction of it. */
  tracesFlushMs: 2_000,
  /** A free port that is taken in the moment before it is used, this many times in a row, is no accident. */
  freePortAttemptsMax: 16,
  /** How often a thread that replaced another tries the ports it could not open. */
  doorsRetryMs: 1_000,
  /** Redis: how long a start waits for it, how often one that is gone is tried, when a silent connection is given up. */
  redisConnectMs: 1_000,
  redisRetryMs: 1_000,
  redisSilenceMs: 5_000,
  /** Answers in a row that did not come in time before no call waits for Redis any more. */
  redisFailuresMax: 3,
  idempotencyKeyLengthMax: 255,
  idempotencyKeptMs: 86_400_000,
  retryAfterMs: 1_000,
  /** Slow calls logged a second, of a plane and thread: enough to see which; a line costs more than many a call. */
  slowRequestLinesMax: 10,
  /** Lines about refused credentials a second, of a thread, and as many about denied calls: anybody can cause them. */
  accessLinesMax: 10,
  /** Field errors of one answer: enough to mend a form, too few to fill a log. */
  fieldErrorsMax: 20,
  /** Of their texts: RPC errors carry them in trailers, of which some clients take 8 KiB, and base64 adds a third. */
  fieldErrorsLengthMax: 4_096,
  /** A field's path in an error: deeper than any of ours, shorter than what a caller may have invented. */
  fieldPathLengthMax: 256,
  /** A message with more values than this is told its first error only; finding all would cost more than the message. */
  thoroughNodesMax: 2_000,

  /**
   * How long it holds that a call was let in, while its body comes: as long as a revocation may take to be known everywhere. Open
   * calls: how often one is looked at although nothing was told, how soon again where it could not be found out whether it
   * may go on, and how long that may be so. Longer than an issuer has to answer and than most moves of a shard take.
   */
  admittedMs: 1_000,
  openCallLookMs: 60_000,
  openCallRetryMs: 250,
  openCallUnknownMs: 10_000,

  /** Server-sent events: how often a silent one says something, and when a client that reads nothing is cut off. */
  sseHeartbeatMs: 15_000,
  ssePatienceMs: 30_000,
  /** How soon clients come back that were cut off. */
  sseRetryMs: 2_000,

  /** WebSockets: messages a client may send before more are granted, and how long its headers may take. */
  socketCredit: 64,
  socketHeadersMs: 5_000,
  /** Sent and not taken by the client; beyond it the stream waits, as long as a stream of events would. */
  socketUnreadBytesMax: 256 * 1_024,
  /** How often a client is asked whether it is there. */
  socketPingMs: 20_000,
} as const;
