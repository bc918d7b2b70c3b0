import { copyFileSync, readFileSync } from "node:fs";
import { connect as connectHttp2 } from "node:http2";
import { Agent, request } from "node:https";
import { join } from "node:path";
import { connect } from "node:tls";
import test from "ava";
import { Authority, type Issued } from "../support/certificates.ts";
import { eventually } from "../support/eventually.ts";
import { casesNeeding } from "../support/needing.ts";
import { startDev } from "./support.ts";

casesNeeding("TLS of a started service", ["openssl"], cases);

function cases(): void {
  const authority = new Authority();
  const server = authority.issue("server", "DNS:localhost,IP:127.0.0.1");
  const client = authority.issue("client", "URI:spiffe://test/client");
  const ca = readFileSync(authority.caFile);
  test.after.always(() => authority.remove());

  test.serial("with a certificate, api.addr serves TLS only, HTTP/2 and HTTP/1.1 by ALPN", async (t) => {
    const service = await startDev(t, [
      "--set",
      `api.tls_cert_file=${server.certFile}`,
      "--set",
      `api.tls_key_file=${server.keyFile}`,
    ]);
    const { native } = service.ports;
    t.is(await overHttp2(native, { ca }), '{"status":"ok"}');
    const agent = new Agent({ ca, keepAlive: true });
    t.is(await overHttp1(native, agent), '{"status":"ok"}');
    await t.throwsAsync(
      overHttp2(native, {}),
      undefined,
      "our certificate authority is not trusted by default",
    );
    await t.throwsAsync(fetch(`http://127.0.0.1:${native}/health`), undefined, "no plain HTTP");
    const silent = connect({ port: native, host: "127.0.0.1", ca });
    await new Promise((resolve) => silent.once("secureConnect", resolve));
    const cut = new Promise((resolve) => silent.once("close", resolve));
    silent.on("error", () => undefined);
    service.signal("SIGTERM");
    t.is((await service.ended).code, 0, "idle connections do not delay the end");
    await cut;
    agent.destroy();
  });

  test.serial(
    "with mTLS required, the internal plane answers only callers with a certificate, and uses renewed files",
    async (t) => {
      const trusted = join(authority.folder, "trusted.pem");
      copyFileSync(authority.caFile, trusted);
      const set = {
        "server.internal_require_mtls": "true",
        "server.internal_tls_ca_file": trusted,
        "server.internal_tls_cert_file": server.certFile,
        "server.internal_tls_key_file": server.keyFile,
      };
      const args = Object.entries(set).flatMap(([key, value]) => ["--set", `${key}=${value}`]);
      const service = await startDev(t, args);
      const { internal } = service.ports;
      t.is(await overHttp2(internal, { ca, ...filesOf(client) }), '{"status":"ok"}');
      await t.throwsAsync(overHttp2(internal, { ca }));
      const stranger = new Authority();
      t.teardown(() => stranger.remove());
      const foreign = filesOf(stranger.issue("client", "URI:spiffe://test/client"));
      await t.throwsAsync(overHttp2(internal, { ca, ...foreign }));
      copyFileSync(stranger.caFile, trusted);
      const taken = () => overHttp2(internal, { ca, ...foreign }).catch(() => undefined);
      t.is(await eventually("the authority was exchanged", taken), '{"status":"ok"}');
      await t.throwsAsync(overHttp2(internal, { ca, ...filesOf(client) }));
      service.signal("SIGTERM");
      t.is((await service.ended).code, 0);
    },
  );
}

function filesOf({ certFile, keyFile }: Issued) {
  return { cert: readFileSync(certFile), key: readFileSync(keyFile) };
}

async function overHttp2(
  port: number,
  options: { ca?: Buffer; cert?: Buffer; key?: Buffer },
): Promise<string> {
  const session = connectHttp2(`https://127.0.0.1:${port}`, options);
  try {
    const failed = new Promise<never>((_, reject) => session.once("error", reject));
    const stream = session.request({ ":method": "GET", ":path": "/health" });
    const text = (async () => {
      let all = "";
      let status: unknown;
      stream.once("response", (headers) => {
        status = headers[":status"];
      });
      for await (const chunk of stream) all += chunk;
      if (status !== 200) throw new Error(`no answer but ${status}`);
      return all;
    })();
    return await Promise.race([text, failed]);
  } finally {
    session.destroy();
  }
}

function overHttp1(port: number, agent: Agent): Promise<string> {
  return new Promise((resolve, reject) => {
    request({ host: "127.0.0.1", port, path: "/health", agent }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () => resolve(text));
    })
      .on("error", reject)
      .end();
  });
}
