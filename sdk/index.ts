/**
 * `@switchyard/client`: the client library. It imports nothing of the service. What is written by hand is how calls are made,
 * repeated and followed; methods and types come from the contract (`generated.ts`). It keeps no state but connections.
 */
export { Switchyard } from "./client.ts";
export type { ConsumeOptions, RecordHandler } from "./consume.ts";
export { ItemFailed, type WaitOptions } from "./enqueue-and-wait.ts";
export { type FieldError, SwitchyardError } from "./errors.ts";
export type { Answer, Fetch, FetchInit } from "./fetch.ts";
export type * from "./generated.ts";
export { contractSha256 } from "./generated.ts";
export type { List, Page } from "./pages.ts";
export type { SwitchyardOptions } from "./settings.ts";
export type { Socket, SocketEvents } from "./socket.ts";
export type { CallOptions } from "./transport.ts";
export type { Handler, HandlerContext, WorkerOptions } from "./worker/options.ts";
export { LeaseLost, PermanentError, type Progress, Reject, Release, RetryLater } from "./worker/outcome.ts";
export type { Worker } from "./worker/worker.ts";
