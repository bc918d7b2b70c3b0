/**
 * Who calls: API keys, bearer tokens of an OIDC issuer, service tokens and certificates of the internal plane, sessions of
 * browsers. Remembers verified keys, opened sessions and an issuer's public keys for a while; everything else is in entities or at the issuer.
 */
export { ApiKeys } from "./api-keys.ts";
export { certificates } from "./certificates.ts";
export { IssuerKeys } from "./issuer-keys.ts";
export { createKeyHasher } from "./key-hasher.ts";
export { oidcTokens } from "./oidc.ts";
export { OidcClient } from "./oidc-client.ts";
export { serviceTokens, type TokenRequest } from "./service-tokens.ts";
export { Sessions } from "./sessions.ts";
