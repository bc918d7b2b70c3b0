// Loaded before the service: queues whose items have the key "uncounted" count and tell nothing, so that the cost of it can be measured.
import { register } from "node:module";

const hooks = `
  const replaced = {
    "/pools/queue/memory/totals.js": [
      ["count({ cause, from, item, gone }, leased, now) {", 'if (item.key === "uncounted") return;'],
      ["row() {", "if (this.values.enqueued === 0) return [0, [], [], [], this.tellAt];"],
    ],
    "/pools/queue/apply/tell.js": [
      ["function noteTell({ totals }, type, rows) {", 'if (type !== "opened" && totals.values.enqueued === 0) return;'],
    ],
  };
  export async function load(url, context, nextLoad) {
    const loaded = await nextLoad(url, context);
    const [, changes] = Object.entries(replaced).find(([file]) => url.endsWith(file)) ?? [];
    if (changes === undefined) return loaded;
    let source = String(loaded.source);
    for (const [begin, more] of changes) {
      if (!source.includes(begin)) throw new Error(url + " has no " + begin);
      source = source.replace(begin, begin + more);
    }
    return { ...loaded, source };
  }
`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
