import { constants, type Http2SecureServer, type Http2Server, type ServerHttp2Session } from "node:http2";
import { limits } from "#base";

/**
 * Ends connections of HTTP/2 whose client opens streams and resets them before they are answered, faster than one that
 * cancels its calls would (CVE-2023-44487). Node reads megabytes of one connection before it looks at the next, and each
 * of these streams has begun its work: the other connections would wait for all of it.
 */
export function guardResets(server: Http2Server | Http2SecureServer): void {
  server.on("session", (session: ServerHttp2Session) => {
    const resets = new Resets();
    let isEnding = false;
    session.on("stream", (stream) =>
      stream.once("aborted", () => {
        if (isEnding || !resets.isOneTooMany(performance.now())) return;
        isEnding = true;
        // nghttp2 is reading frames now, and Node aborts the process when its session is destroyed meanwhile.
        setImmediate(() => session.destroy(undefined, constants.NGHTTP2_ENHANCE_YOUR_CALM));
      }),
    );
  });
}

/** Resets within a second. */
class Resets {
  #sinceMs = 0;
  #count = 0;

  isOneTooMany(nowMs: number): boolean {
    if (nowMs - this.#sinceMs > 1_000) {
      this.#sinceMs = nowMs;
      this.#count = 0;
    }
    return ++this.#count > limits.http2ResetsMax;
  }
}
