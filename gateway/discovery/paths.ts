/** Where the documents are that anybody may read. */
export const documentPaths = {
  openapi: ["/openapi.yaml"],
  docs: ["/docs", "/docs/"],
} as const;
