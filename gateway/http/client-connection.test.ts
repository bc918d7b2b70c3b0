import test from "ava";
import { HeldBytes } from "./bounds.ts";
import { ClientConnection, type ClientRequest } from "./client-connection.ts";

function started({ unreadBytesMax, inProgressMax }: { unreadBytesMax: number; inProgressMax: number }) {
  const bounds = { connectionUnreadMax: unreadBytesMax, answers: new HeldBytes(1_000) };
  const connection = new ClientConnection(bounds, inProgressMax);
  const begun: number[] = [];
  const begin = (number: number): ClientRequest => {
    const request = { begin: () => void begun.push(number) };
    connection.begin(request);
    return request;
  };
  return { connection, begun, begin };
}

test("with one request in progress the next waits until it has been answered", (t) => {
  const { connection, begun, begin } = started({ unreadBytesMax: 10, inProgressMax: 1 });
  const [first, second, third] = [begin(1), begin(2), begin(3)];
  t.deepEqual(begun, [1]);
  t.is(connection.waiting, 2);
  connection.ended(first);
  t.deepEqual(begun, [1, 2]);
  connection.ended(second);
  connection.ended(third);
  t.deepEqual(begun, [1, 2, 3]);
});

test("with more unread than may be the next request waits until enough has been read", (t) => {
  const { connection, begun, begin } = started({ unreadBytesMax: 10, inProgressMax: 5 });
  const first = begin(1);
  connection.hold(11);
  connection.ended(first);
  begin(2);
  t.deepEqual(begun, [1]);
  connection.letGo(1);
  t.deepEqual(begun, [1, 2]);
});

test("a request that is cancelled while it waits is not kept and never begins", (t) => {
  const { connection, begun, begin } = started({ unreadBytesMax: 10, inProgressMax: 1 });
  const [first, second] = [begin(1), begin(2)];
  begin(3);
  connection.ended(second);
  t.is(connection.waiting, 1);
  connection.ended(first);
  t.deepEqual(begun, [1, 3]);
});
