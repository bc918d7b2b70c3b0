import test from "ava";
import { ClientConnection } from "./client-connection.ts";

function started(bounds: { unreadBytesMax: number; inProgressMax: number }) {
  const connection = new ClientConnection(bounds);
  const begun: number[] = [];
  return { connection, begun, begin: (number: number) => connection.begin(() => begun.push(number)) };
}

test("with one request in progress the next waits until it has been answered", (t) => {
  const { connection, begun, begin } = started({ unreadBytesMax: 10, inProgressMax: 1 });
  for (const number of [1, 2, 3]) begin(number);
  t.deepEqual(begun, [1]);
  t.is(connection.waiting, 2);
  connection.ended();
  t.deepEqual(begun, [1, 2]);
  connection.ended();
  connection.ended();
  t.deepEqual(begun, [1, 2, 3]);
});

test("with more unread than may be the next request waits until enough has been read", (t) => {
  const { connection, begun, begin } = started({ unreadBytesMax: 10, inProgressMax: 5 });
  begin(1);
  connection.addUnread(11);
  connection.ended();
  begin(2);
  t.deepEqual(begun, [1]);
  connection.hasRead(1);
  t.deepEqual(begun, [1, 2]);
});
