/** The domain, one folder per module, all of the same shape; this is the list. */
import type { Module } from "./module.ts";

export type { CallContext, Module, Orchestration, StreamHandler } from "./module.ts";

export const modules: readonly Module[] = [];
