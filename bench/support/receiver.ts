/** Accepts every webhook or mail, for the benches of notifications and webhooks; `/count` says how many came. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";

if (process.argv[2] === "http") {
  let count = 0;
  const server = createServer((request, response) => {
    request.resume();
    if (request.url === "/count") response.end(String(count));
    else
      request.on("end", () => {
        count++;
        response.end();
      });
  }).listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
} else {
  const server = new SMTPServer({
    logger: false,
    disabledCommands: ["AUTH", "STARTTLS"],
    onData(stream, _session, done) {
      stream.resume();
      stream.on("end", () => done());
    },
  });
  server.on("error", () => undefined);
  server.listen(0, "127.0.0.1", () => process.send?.((server.server.address() as AddressInfo).port));
}
