import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";

/** What happens to a mail after its content has arrived. */
type MailAnswer = "taken" | "cut";

/** A real mail server on loopback that records every mail whose content has arrived, by Message-ID. */
export async function startMailServer(answer: (to: string, messageId: string) => MailAnswer = () => "taken") {
  const mails = new Map<string, number>();
  const server = new SMTPServer({
    logger: false,
    disabledCommands: ["AUTH", "STARTTLS"],
    onData(stream, session, done) {
      let text = "";
      stream.on("data", (part: Buffer) => {
        text += part;
      });
      stream.on("end", () => {
        const id = /^Message-ID: <(.*)@/im.exec(text)?.[1] ?? "";
        mails.set(id, (mails.get(id) ?? 0) + 1);
        const to = session.envelope.rcptTo[0]?.address ?? "";
        if (answer(to, id) === "taken") done();
        // The mail has arrived, and its sender gets no answer.
        else
          for (const connection of server.connections) if (connection.session === session) connection.close();
      });
    },
  });
  server.on("error", () => undefined);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.server.address() as AddressInfo).port,
    mails,
    stop: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  };
}
