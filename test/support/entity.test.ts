import test from "ava";
import { limits } from "#base";
import { defineActor } from "#runtime";
import { EntityDriver } from "./entity.ts";

test("a command may ask for rows as often as the runtime allows, and not more often", (t) => {
  let rounds = 0;
  const asker = defineActor<object, number, never>({
    kind: "asker",
    placement: "key",
    empty: () => ({}),
    resident: [],
    restore: () => {},
    decide(_state, times, context) {
      if (rounds++ < times) context.row({ collection: "row", key: [rounds] });
      return { events: [] };
    },
    apply: () => {},
    methods: {},
  });
  const driver = new EntityDriver([asker]);
  const address = { kind: "asker", tenant: "t", key: "k" };
  t.is(driver.tell(address, limits.needRoundsMax), undefined);
  rounds = 0;
  t.throws(() => driver.tell(address, limits.needRoundsMax + 1), { message: /asked for rows/ });
});

test("given a decision that changes its command, the driver fails", (t) => {
  const editor = defineActor<object, { list: number[] }, never>({
    kind: "editor",
    placement: "key",
    empty: () => ({}),
    resident: [],
    restore: () => {},
    decide: (_state, command) => {
      command.list.push(1);
      return { events: [] };
    },
    apply: () => {},
    methods: {},
  });
  const address = { kind: "editor", tenant: "t", key: "k" };
  t.throws(() => new EntityDriver([editor]).tell(address, { list: [] }), { message: /edits a command/ });
});
