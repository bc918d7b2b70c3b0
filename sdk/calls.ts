/** The parts that the command line is made of. It leaves out the table of methods and the worker, and so it starts at once. */
export { type Context, type Contexts, contextsFile, readContexts } from "./contexts.ts";
export { SwitchyardError } from "./errors.ts";
export type { Fetch } from "./fetch.ts";
export { answered, eventsOf, listed, type Method, outgoing } from "./methods.ts";
export { nodeFetch, type Pem, type Tls } from "./node-fetch.ts";
export { addressOf, settingsOf } from "./settings.ts";
export { type CallOptions, type Outgoing, Transport } from "./transport.ts";
