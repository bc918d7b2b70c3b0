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
  readonly #keyFile = join(this.folder, "ca.key");

  constructor() {
    this.#openssl("req", "-x509", ...newKey, "-days", "2", "-subj", "/CN=test-authority", ...this.#out("ca"));
  }

  /** `names` as in a subjectAltName: `DNS:localhost,URI:spiffe://…`. */
  issue(name: string, names: string, { days = 2, extensions: more = "" } = {}): Issued {
    const request = join(this.folder, `${name}.csr`);
    const extensions = join(this.folder, `${name}.names`);
    const files = { certFile: join(this.folder, `${name}.pem`), keyFile: join(this.folder, `${name}.key`) };
    writeFileSync(extensions, `subjectAltName = ${names}\n${more}\n`);
    this.#openssl("req", ...newKey, "-subj", `/CN=${name}`, "-keyout", files.keyFile, "-out", request);
    const signed = ["-CA", this.caFile, "-CAkey", this.#keyFile, "-CAcreateserial", "-days", String(days)];
    this.#openssl("x509", "-req", "-in", request, ...signed, "-extfile", extensions, "-out", files.certFile);
    return files;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  #out(name: string): readonly string[] {
    return ["-keyout", join(this.folder, `${name}.key`), "-out", join(this.folder, `${name}.pem`)];
  }

  #openssl(...args: readonly string[]): void {
    execFileSync("openssl", args, { stdio: "pipe" });
  }
}

const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
