import { isInline } from "./body.ts";
import { historyCount } from "./history.ts";
import { type Item, type ItemState, itemStates } from "./item.ts";
import { stateIndex } from "./item-row.ts";

/** Beside the state of a finished item: which rows there are of it. */
const hasBody = 16;
const hasResult = 32;

/** Above the bits: how many rows its history has. */
const historyAt = 7;

/** No item of its own: a request that was answered with another. */
export const remembered = 64;

export function retainCode(item: Item, withResult: boolean): number {
  const rows = (isInline(item) ? 0 : hasBody) + (withResult ? hasResult : 0);
  return stateIndex[item.state] + rows + (historyCount(item) << historyAt);
}

export function isRemembered(code: number): boolean {
  return code === remembered;
}

export function retainedState(code: number): {
  readonly state: ItemState;
  readonly body: boolean;
  readonly result: boolean;
  readonly history: number;
} {
  return {
    state: itemStates[code & 15]!,
    body: (code & hasBody) > 0,
    result: (code & hasResult) > 0,
    history: code >> historyAt,
  };
}
