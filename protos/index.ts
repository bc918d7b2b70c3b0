/**
 * The contract: `.proto` files with their options, and the one descriptor set built from them (`gen/contract.binpb`)
 * that every door reads at run time. Nothing here holds state.
 */
export { contractBytes, loadRegistry, packageRoot } from "./image.ts";
export {
  type FieldOptions,
  fieldOptions,
  type HttpRule,
  type MethodOptions,
  methodOptions,
  oneofRequired,
} from "./options.ts";
export { contractProblems } from "./problems.ts";
