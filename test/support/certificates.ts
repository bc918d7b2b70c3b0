import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Issued {
  readonly certFile: string;
  readonly keyFile: string;
}

/** A certificate authority for two days, in a folder that is removed with it. */
export class Authority {
  readonly folder = mkdtempSync(join(tmpdir(), "certificates-"));
  readonly caFile = join(this.folder, "ca.pem");

  constructor() {
    writeFileSync(this.#in("issued"), "");
    writeFileSync(this.#in("ca.cnf"), settingsOf(this.folder));
    this.#openssl("req", "-x509", ...newKey, "-days", "2", "-subj", "/CN=test-authority", ...this.#out("ca"));
  }

  /** `names` as in a subjectAltName: `DNS:localhost,URI:spiffe://…`. */
  issue(
    name: string,
    names: string,
    { endsAtMs = Date.now() + twoDaysMs, extensions: more = "" } = {},
  ): Issued {
    const request = this.#in(`${name}.csr`);
    const extensions = this.#in(`${name}.names`);
    const files = { certFile: this.#in(`${name}.pem`), keyFile: this.#in(`${name}.key`) };
    writeFileSync(extensions, `subjectAltName = ${names}\n${more}\n`);
    this.#openssl("req", ...newKey, "-subj", `/CN=${name}`, "-keyout", files.keyFile, "-out", request);
    const times = ["-startdate", timeOf(Date.now() - twoDaysMs), "-enddate", timeOf(endsAtMs)];
    const signed = ["-config", this.#in("ca.cnf"), "-batch", "-notext", ...times, "-extfile", extensions];
    this.#openssl("ca", ...signed, "-in", request, "-out", files.certFile);
    return files;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  #in(name: string): string {
    return join(this.folder, name);
  }

  #out(name: string): readonly string[] {
    return ["-keyout", this.#in(`${name}.key`), "-out", this.#in(`${name}.pem`)];
  }

  #openssl(...args: readonly string[]): void {
    execFileSync("openssl", args, { stdio: "pipe" });
  }
}

const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
const twoDaysMs = 2 * 86_400_000;

/** As `openssl ca` reads it, to the second: 20261231235959Z. */
function timeOf(atMs: number): string {
  return `${new Date(atMs).toISOString().replace(/[-:T]/g, "").slice(0, 14)}Z`;
}

/** What `openssl ca`, which alone takes times to the second, wants to be told. */
function settingsOf(folder: string): string {
  const own = {
    certificate: `${folder}/ca.pem`,
    private_key: `${folder}/ca.key`,
    database: `${folder}/issued`,
    serial: `${folder}/serial`,
    rand_serial: "yes",
    new_certs_dir: folder,
    default_md: "sha256",
    policy: "named",
  };
  const lines = Object.entries(own).map(([name, value]) => `${name} = ${value}\n`);
  return `[ca]\ndefault_ca = own\n[own]\n${lines.join("")}[named]\ncommonName = supplied\n`;
}
