import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";
import { isDeepStrictEqual } from "node:util";
import { asError, limits } from "#base";
import type { Logger } from "#runtime";

/** The files a listener with TLS takes its certificate from; with `ca`, its clients show one that this signed. */
export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
  readonly ca?: string;
}

/** What they hold. */
export interface Certificates {
  readonly cert: string | Buffer;
  readonly key: string | Buffer;
  readonly ca?: string | Buffer;
}

export function readCertificates({ cert, key, ca }: CertificateFiles): Certificates {
  return {
    cert: readFileSync(cert),
    key: readFileSync(key),
    ...(ca !== undefined && { ca: readFileSync(ca) }),
  };
}

/**
 * Hands over what the files hold whenever that has changed: a certificate is renewed without a restart. They are read, not
 * watched, because who renews them may put another folder in their place. While they cannot be used, what is in force stays:
 * a certificate and its key are written one after the other.
 */
export function renewCertificates(
  files: CertificateFiles,
  first: Certificates,
  renew: (certificates: Certificates) => void,
  log: Logger,
  everyMs: number = limits.certificatesLookMs,
): () => void {
  let inForce = first;
  let problem = "";
  const look = () => {
    try {
      const found = readCertificates(files);
      if (isDeepStrictEqual(found, inForce)) return;
      // Throws for what is none, and for a key of another certificate.
      createSecureContext(found);
      renew(found);
      inForce = found;
      problem = "";
      log.info({ file: files.cert }, "a renewed certificate is in force");
    } catch (error) {
      const { message } = asError(error);
      if (message !== problem)
        log.error({ file: files.cert, err: error }, "a renewed certificate cannot be used");
      problem = message;
    }
  };
  const timer = setInterval(look, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}
