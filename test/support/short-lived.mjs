/**
 * Loaded into every Node process of a test run: these end within seconds, and a third of their processor time was V8
 * optimising functions that hardly run again. It begins later.
 */
import { setFlagsFromString } from "node:v8";

setFlagsFromString("--interrupt-budget=540672");
