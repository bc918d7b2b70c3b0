import { copyFileSync, readFileSync } from "node:fs";
import { connect } from "node:tls";
import test from "ava";
import { testBounds } from "../../test/support/bounds.ts";
import { Authority, type Issued } from "../../test/support/certificates.ts";
import { eventually } from "../../test/support/eventually.ts";
import { casesNeeding } from "../../test/support/needing.ts";
import { listenNative } from "../rpc/native.ts";
import { readCertificates, renewCertificates } from "./certificates.ts";

casesNeeding("renewed certificates", ["openssl"], cases);

function cases(): void {
  const authority = new Authority();
  test.after.always(() => authority.remove());
  const ca = readFileSync(authority.caFile);

  test("a renewed certificate is shown to the next client; what cannot be used changes nothing", async (t) => {
    const first = authority.issue("first", "DNS:localhost");
    const second = authority.issue("second", "DNS:localhost");
    const inUse = authority.issue("in-use", "DNS:localhost");
    const put = (from: Issued, part: "certFile" | "keyFile") => copyFileSync(from[part], inUse[part]);
    put(first, "certFile");
    put(first, "keyFile");
    const files = { cert: inUse.certFile, key: inUse.keyFile };
    const tls = readCertificates(files);
    const server = await listenNative({
      host: "127.0.0.1",
      port: 0,
      bounds: testBounds(),
      bodyBytesMax: 1_024,
      bodyTimeoutMs: 1_000,
      handler: () => ({ status: 200, headers: [], body: "" }),
      refuse: () => ({ status: 400, headers: [], body: "" }),
      onError: () => undefined,
      tls,
    });
    const told: string[] = [];
    const log = {
      info: (_: object, text: string) => void told.push(text),
      warn: () => undefined,
      error: (_: object, text: string) => void told.push(text),
    };
    const stop = renewCertificates(files, tls, server.renew, log, 20);
    t.teardown(async () => {
      stop();
      await server.close();
    });
    t.is(await shownBy(server.port, ca), "first");
    put(second, "certFile");
    await eventually("the log says that the key is of another", () => told.length > 0 || undefined);
    t.is(await shownBy(server.port, ca), "first");
    put(second, "keyFile");
    await eventually("the log says that it is in force", () => told.length > 1 || undefined);
    t.is(await shownBy(server.port, ca), "second");
    t.deepEqual(told, ["a renewed certificate cannot be used", "a renewed certificate is in force"]);
  });
}

/** The name in the certificate a server shows. */
function shownBy(port: number, ca: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "localhost", ca, ALPNProtocols: ["h2"] }, () => {
      resolve(String(socket.getPeerCertificate().subject.CN));
      socket.destroy();
    });
    socket.on("error", reject);
  });
}
