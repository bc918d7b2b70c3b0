/** Tells every one of them: what one of them throws is thrown when the others have been told. */
export function tellAll<Told>(all: Iterable<Told>, tell: (one: Told) => void): void {
  let failure: { readonly error: unknown } | undefined;
  for (const one of all)
    try {
      tell(one);
    } catch (error) {
      failure ??= { error };
    }
  if (failure !== undefined) throw failure.error;
}
