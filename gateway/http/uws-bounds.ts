import { limits } from "#base";

/**
 * uWebSockets.js reads this when it is loaded, so this comes first. Headers that arrive in several packets are held up to
 * here, and it holds 4 KiB of its own accord: a token we take would be refused wherever the network cuts it in two.
 * Ours is smaller and answers with a problem document; what is larger than this gets a page of uWebSockets.js.
 */
process.env.UWS_HTTP_MAX_HEADERS_SIZE ??= String(limits.headersHeldBytesMax);
