import { attackRows } from "./rows.ts";

// Everybody is an administrator here: nothing is refused before it costs anything.
for (const httpServer of ["uws", "node"]) attackRows({ httpServer, hasKeys: false, lastsMs: 200 });
