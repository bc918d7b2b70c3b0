/** One page of a list as the server sent it. */
export interface Page<Item> {
  readonly data: readonly Item[];
  /** Null at the end. */
  readonly next_cursor: string | null;
  /** Null where it is not counted. */
  readonly total: number | null;
  readonly [other: string]: unknown;
}

/** A list: iterate over all of its items, or take pages one by one. */
export interface List<Item> extends AsyncIterable<Item> {
  /** The page that the request names. */
  page(): Promise<Page<Item>>;
  pages(): AsyncIterable<Page<Item>>;
}

type Request = Readonly<Record<string, unknown>>;

/** `load` asks for one page. Both conventions: cursors, and numbers of pages. */
export function listOf(request: Request, load: (request: Request) => Promise<Page<unknown>>): List<unknown> {
  async function* pages() {
    let next: Request | undefined = request;
    while (next !== undefined) {
      const asked: Request = next;
      const page = await load(asked);
      yield page;
      next = following(asked, page);
    }
  }
  return {
    page: () => load(request),
    pages,
    async *[Symbol.asyncIterator]() {
      for await (const { data } of pages()) yield* data;
    },
  };
}

function following(request: Request, page: Page<unknown>): Request | undefined {
  if (typeof page.page !== "number") {
    if (!page.next_cursor) return undefined;
    const { offset, ...rest } = request;
    return { ...rest, cursor: page.next_cursor };
  }
  const { per_page: size } = page;
  return typeof size === "number" && page.data.length >= size
    ? { ...request, page: page.page + 1 }
    : undefined;
}
