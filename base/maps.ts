/** Deletes a key and answers what was there. */
export function takeFrom<Key, Value>(map: Map<Key, Value>, key: Key): Value | undefined {
  const value = map.get(key);
  map.delete(key);
  return value;
}

/** The key that was inserted first. */
export function firstKeyOf<Key>(map: ReadonlyMap<Key, unknown>): Key | undefined {
  for (const key of map.keys()) return key;
  return undefined;
}
