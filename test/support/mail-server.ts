import type { AddressInfo } from "node:net";
import type { ExecutionContext } from "ava";
import { SMTPServer } from "smtp-server";

/** A mail server on a free port, with the mails that it accepted. */
export async function mailServer(t: ExecutionContext) {
  const mails: string[] = [];
  const server = new SMTPServer({
    logger: false,
    disabledCommands: ["AUTH", "STARTTLS"],
    onData(stream, _session, done) {
      let text = "";
      stream.on("data", (part: Buffer) => {
        text += part;
      });
      stream.on("end", () => {
        mails.push(text);
        done();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.teardown(() => new Promise<void>((resolve) => void server.close(() => resolve())));
  return { port: (server.server.address() as AddressInfo).port, mails };
}
