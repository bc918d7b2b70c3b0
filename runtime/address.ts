/** Names one entity. The tenant is part of every address. */
export interface Address {
  readonly kind: string;
  readonly tenant: string;
  readonly key: string;
}
