import type { EventPage, PublishedEvent } from "../../../runtime/event-page.ts";

/** The events of the pages; `looked` sees each page before. */
export async function* eventsOf(
  pages: AsyncIterable<EventPage>,
  looked?: (page: EventPage) => void,
): AsyncGenerator<PublishedEvent, void, undefined> {
  for await (const page of pages) {
    looked?.(page);
    yield* page.events;
  }
}
