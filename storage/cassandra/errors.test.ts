import test from "ava";
import { errors } from "cassandra-driver";
import { reasonOf, unavailable } from "./errors.ts";

test("given an answer of Cassandra without a text, when it is told why, then its name and code are", (t) => {
  const silent = new errors.ResponseError(0x1002, "");
  t.is(reasonOf(silent), "ResponseError 4098");
  t.is(reasonOf(new AggregateError([])), "AggregateError");
  const none = new errors.NoHostAvailableError({ "127.0.0.1:9042": silent });
  t.is(reasonOf(none), "no Cassandra node answers (127.0.0.1:9042: ResponseError 4098)");
  t.regex(unavailable("shard 7 could not be opened", silent).message, /^shard 7 could not be opened: .+/);
});
