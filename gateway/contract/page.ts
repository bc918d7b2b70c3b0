import { type FieldError, limits } from "#base";
import type { Pagination } from "./method.ts";

/** The request fields of a convention that hold numbers. */
export function pageFields(pagination: Pagination | undefined): readonly string[] {
  switch (pagination?.convention) {
    case undefined:
      return [];
    case "cursor":
      return ["page_size", "offset"];
    case "page":
      return ["page", "per_page"];
  }
}

/** Brings sizes into their bounds, in place: only a contradiction is an error. */
export function normalizePage(
  pagination: Pagination,
  message: Record<string, unknown>,
): readonly FieldError[] | undefined {
  switch (pagination.convention) {
    case "cursor":
      message.page_size = pageSize(message.page_size as number);
      message.offset = Math.max(0, message.offset as number);
      if ((message.offset as number) > limits.pageOffsetMax) {
        return [
          {
            field: "offset",
            reason: `must be at most ${limits.pageOffsetMax}; go further with page_token`,
          },
        ];
      }
      if ((message.offset as number) > 0 && message.page_token !== "") {
        return [{ field: "offset", reason: "must not be combined with page_token" }];
      }
      return undefined;
    case "page":
      message.page = Math.max(1, message.page as number);
      message.per_page = pageSize(message.per_page as number);
      return undefined;
  }
}

function pageSize(asked: number): number {
  return asked <= 0 ? limits.pageSizeDefault : Math.min(asked, limits.pageSizeMax);
}
