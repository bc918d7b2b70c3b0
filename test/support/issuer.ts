import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";

export type Algorithm = "RS256" | "ES256" | "EdDSA";

/** An issuer on loopback whose keys and behaviour a test can change. */
export class TestIssuer {
  /** Answers of each path so far. */
  readonly asked: string[] = [];
  keys: JWK[] = [];
  /** Replaces the discovery document or the keys: a status, and the target of a redirect. */
  broken: { readonly status: number; readonly location?: string } | undefined;
  discovered: Record<string, unknown> = {};
  readonly #server = createServer((request, response) => {
    this.asked.push(request.url!);
    if (this.broken !== undefined) {
      const { status, location } = this.broken;
      response.writeHead(status, location === undefined ? {} : { location }).end("{}");
    } else if (request.url === "/.well-known/openid-configuration")
      response.end(JSON.stringify({ issuer: this.url, jwks_uri: `${this.url}/keys`, ...this.discovered }));
    else response.end(JSON.stringify({ keys: this.keys }));
  });

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async open(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return this;
  }

  close(): Promise<unknown> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(resolve));
  }

  /** Adds a key to its set; returns the function that signs with it. */
  async addKey(kid: string, algorithm: Algorithm = "ES256"): Promise<Signer> {
    const { publicKey, privateKey } = await generateKeyPair(algorithm, { extractable: true });
    this.keys = [...this.keys, { ...(await exportJWK(publicKey)), kid, alg: algorithm, use: "sig" }];
    return (claims, header = {}) =>
      new SignJWT(claims).setProtectedHeader({ alg: algorithm, kid, ...header }).sign(privateKey);
  }
}

export type Signer = (claims: Record<string, unknown>, header?: Record<string, unknown>) => Promise<string>;
