/**
 * Redis, where one is configured: limits that several nodes share. It holds nothing that cannot be made again; while it is
 * gone every thread counts for itself or refuses, as the settings say.
 */
export { connectRedis, type RedisSettings } from "./connection.ts";
export { redisRateLimiter } from "./rate-limiter.ts";
