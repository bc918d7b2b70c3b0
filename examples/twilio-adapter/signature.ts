import { createHmac, timingSafeEqual } from "node:crypto";

/** Twilio signs the address it calls, followed by every field of the form in the order of their names. */
export function isFromTwilio(
  authToken: string,
  {
    url,
    form,
    signature,
  }: { readonly url: string; readonly form: URLSearchParams; readonly signature: string },
): boolean {
  const fields = [...new Set(form.keys())].sort();
  // A field that is there several times counts once for each of its values, in their order.
  const text = fields.flatMap((name) => [...new Set(form.getAll(name))].sort().map((value) => name + value));
  const expected = createHmac("sha1", authToken)
    .update(url + text.join(""))
    .digest();
  const given = Buffer.from(signature, "base64");
  return given.length === expected.length && timingSafeEqual(given, expected);
}
