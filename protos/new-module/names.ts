/** The spellings of a resource, from its name as it is given: `api-key`. */
export interface Names {
  /** `api-keys`: its folder. */
  readonly folder: string;
  /** `apiKeys`: its module. */
  readonly module: string;
  /** `ApiKey`, `ApiKeys` */
  readonly one: string;
  readonly many: string;
  /** `api_key`, `api_keys` */
  readonly snakeOne: string;
  readonly snakeMany: string;
  /** `api keys` */
  readonly words: string;
}

export function namesOf(given: string): Names {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(given))
    throw new Error(`"${given}" is not a name: one resource, in lower case, words with hyphens (api-key)`);
  const folder = /(s|x|ch|sh)$/.test(given)
    ? `${given}es`
    : given.replace(/([^aeiou])y$/, "$1ie").concat("s");
  const pascal = (name: string) =>
    name.replace(/(^|-)([a-z0-9])/g, (_match, _hyphen, letter: string) => letter.toUpperCase());
  const many = pascal(folder);
  return {
    folder,
    module: many[0]!.toLowerCase() + many.slice(1),
    one: pascal(given),
    many,
    snakeOne: given.replaceAll("-", "_"),
    snakeMany: folder.replaceAll("-", "_"),
    words: folder.replaceAll("-", " "),
  };
}
