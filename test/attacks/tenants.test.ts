import { attackRows } from "./rows.ts";

// With authentication: the attacker has keys of one tenant, a viewer's where that is enough, and the probes are calls of another.
for (const httpServer of ["uws", "node"]) attackRows({ httpServer, hasKeys: true, lastsMs: 200 });
