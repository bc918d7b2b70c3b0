/** Where the documents are that anybody may read. */
export const documentPaths = {
  openapi: ["/openapi.yaml"],
  docs: ["/docs", "/docs/"],
  assets: ["/docs/assets/{name}"],
  errors: ["/docs/errors"],
  error: ["/docs/errors/{code}"],
  runbooks: ["/docs/runbooks"],
  runbook: ["/docs/runbooks/{code}"],
} as const;
