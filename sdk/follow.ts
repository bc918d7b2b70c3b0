import { pause, systemClock } from "./clock.ts";
import { connectionLost, errorOf, SwitchyardError } from "./errors.ts";
import { chunksOf, readEvents, type ServerEvent } from "./events.ts";
import { pauseMs } from "./retry.ts";
import type { Transport } from "./transport.ts";

export interface Following {
  readonly path: string;
  /** The event after which nothing comes. */
  readonly last?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Told why there is a pause. */
  readonly onLost?: ((error: SwitchyardError) => void) | undefined;
}

/** The server sends a comment every 15 s. */
const silenceMs = 45_000;

/** Events of one address. A lost connection is opened again where it was; it ends with `last`, or by the signal. */
export async function* follow(
  transport: Transport,
  { path, last, signal, headers: own, onLost }: Following,
): AsyncGenerator<ServerEvent> {
  let id = "";
  for (let failures = 0; !signal?.aborted; ) {
    const ending = new AbortController();
    const stop = () => ending.abort();
    signal?.addEventListener("abort", stop, { once: true });
    const cancel = systemClock.after(silenceMs, stop);
    let error: SwitchyardError;
    let wasOpen = false;
    try {
      const headers = { ...own, accept: "text/event-stream", ...(id !== "" && { "last-event-id": id }) };
      const response = await transport.open(
        { verb: "GET", path, repeat: "read" },
        { headers, signal: ending.signal },
      );
      cancel();
      wasOpen = true;
      if (response.status === 204) return;
      for await (const event of readEvents(chunksOf(response, silenceMs))) {
        failures = 0;
        id = event.id;
        if (event.event === "error") throw errorOf(JSON.parse(event.data));
        yield event;
        if (event.event === last) return;
      }
      error = connectionLost();
    } catch (thrown) {
      error = thrown instanceof SwitchyardError ? thrown : connectionLost(thrown);
    } finally {
      cancel();
      signal?.removeEventListener("abort", stop);
      ending.abort();
    }
    if (signal?.aborted) return;
    // A credential that ran out meanwhile may be renewed for the next connection.
    if (!error.retryable && !(wasOpen && error.code === "UNAUTHENTICATED")) throw error;
    onLost?.(error);
    await pause(systemClock, pauseMs(failures++, error.retryAfterMs, Math.random), signal);
  }
}
