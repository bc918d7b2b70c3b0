/**
 * A bare uWebSockets.js server: parses the body and answers with a given number of bytes. Started by route.bench.ts.
 */
import type { us_listen_socket } from "uWebSockets.js";
import { uws } from "../../gateway/http/uws-library.ts";

const answer = JSON.stringify({ data: { text: "x".repeat(Number(process.argv[2])) }, metadata: {} });

uws
  .App()
  .any("/*", (response) => {
    let aborted = false;
    response.onAborted(() => {
      aborted = true;
    });
    response.onData((chunk, last) => {
      if (!last || aborted) return;
      const { key } = JSON.parse(Buffer.from(chunk).toString()) as { key: string };
      if (key === "") return;
      response.cork(() => response.writeHeader("content-type", "application/json").end(answer));
    });
  })
  .listen("127.0.0.1", 0, (socket) => {
    process.send?.(uws.us_socket_local_port(socket as us_listen_socket));
  });
