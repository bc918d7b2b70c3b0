/** Arguments of a Node process that runs the source. */
export const sourceArguments: readonly string[] = [
  `--import=${new URL("./register.mjs", import.meta.url).href}`,
  "--conditions=source",
];
