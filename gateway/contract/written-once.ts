/**
 * The answers of a fan-out are the same objects for all its readers in a thread: each is written once. Only for methods that say
 * how they become events (`sse`): the answers of others go to one client each, and would only be remembered in vain.
 */
export function writtenOnce<Written>(write: (answer: object) => Written): (answer: unknown) => Written {
  const written = new WeakMap<object, { readonly bytes: Written }>();
  return (answer) => {
    const known = written.get(answer as object);
    if (known !== undefined) return known.bytes;
    const bytes = write(answer as object);
    written.set(answer as object, { bytes });
    return bytes;
  };
}
