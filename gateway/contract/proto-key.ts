import { refusalError } from "#base";

/** No member like others: what is set under it is gone, here or where the message is read next. */
export function refuseProtoKey(key: string): void {
  if (key === "__proto__") throw refusalError("INVALID_ARGUMENT", "the key __proto__ is not allowed");
}

/** JSON that came as protobuf, or a refusal of its keys. */
export function withCheckedKeys<T>(json: T): T {
  if (typeof json === "object" && json !== null)
    for (const [key, value] of Object.entries(json)) {
      refuseProtoKey(key);
      withCheckedKeys(value);
    }
  return json;
}
