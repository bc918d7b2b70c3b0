import { refuse } from "#base";
import { Collection, type Order } from "../../actors/kit/collection.ts";
import type { Owned } from "../../actors/kit/record.ts";
import { ownedMessage, type Resource } from "../../actors/kit/resource.ts";

export interface Book extends Owned {
  readonly name: string;
  readonly shelf: string;
  readonly lent: boolean;
  readonly text: string;
  readonly tags: readonly string[];
}

/** A resource as a module would declare it, for tests of what all resources share. */
export function books(changed: { order?: Order; most?: number } = {}): Resource<Book> {
  return {
    service: "BookService",
    one: "Book",
    many: "Books",
    store: new Collection<Book>({
      filters: ["shelf", "lent", "environment"],
      unique: { name: (book) => book.name },
      ...(changed.order && { order: changed.order }),
    }),
    ...(changed.most !== undefined && { most: changed.most }),
    fields: ["name", "shelf", "lent", "text", "tags"],
    required: ["name"],
    publishes: ({ recordVersion }) => ({ record_version: recordVersion }),
    actions: {
      LendBook: {
        change: (book, { until }, now) =>
          book.lent
            ? refuse("FAILED_PRECONDITION", "it is lent")
            : { ...book, lent: true, text: `${until} ${now}` },
        publishes: "book.lent",
      },
      ShelveBook: { change: (book, { shelf }) => ({ ...book, shelf: shelf as string }) },
    },
    reads: {
      QuoteBook: {
        answer: ({ text }, { at }) =>
          typeof at === "number" ? { quote: text.slice(at) } : refuse("INVALID_ARGUMENT", "at is required"),
      },
    },
    settingsOf: ({ name, shelf, lent, text, tags }) =>
      shelf === "none"
        ? refuse("INVALID_ARGUMENT", "shelf is none")
        : {
            name: name as string,
            shelf: (shelf as string | undefined) ?? "a",
            lent: (lent as boolean | undefined) ?? false,
            text: (text as string | undefined) ?? "",
            tags: (tags as string[] | undefined) ?? [],
          },
    messageOf: ({ name, shelf, lent, text, tags, ...rest }) => ({
      ...{ name, shelf, lent, text, tags },
      ...ownedMessage(rest),
    }),
  };
}
