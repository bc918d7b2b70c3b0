/**
 * The contract: `.proto` files with their options, and the one descriptor set built from them (`gen/contract.binpb`)
 * that every door reads at run time, with the comments beside it (`gen/comments.json`). Nothing here holds state.
 */
export { commentName } from "./comments.ts";
export {
  type DeclaredCapability,
  declaredCapabilities,
  eventMessages,
  type RoleOptions,
  roleOptions,
} from "./declarations.ts";
export type * from "./gen/messages.ts";
export { contractBytes, contractComments, loadRegistry, packageRoot } from "./image.ts";
export {
  type EnvironmentOptions,
  environmentOf,
  type FieldOptions,
  fieldOptions,
  type GovernanceOptions,
  governanceOf,
  type HttpRule,
  type MethodOptions,
  methodOptions,
  oneofRequired,
  type SseOptions,
} from "./options.ts";
export { contractProblems } from "./problems.ts";
