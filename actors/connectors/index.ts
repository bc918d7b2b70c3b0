/**
 * Owns what reaches outside on a tenant's behalf: provider configs, connections with their encrypted credentials, connect sessions and
 * executions. Entity (provider_config, tenant, handle) has a provider config and the names of its connections; entity (connection,
 * tenant, handle) is the only writer of one connection, its sessions, credentials, refreshes, executions and trigger
 * subscriptions. Providers are files of the catalogue, the same on every thread.
 *
 * 1. An action that is not safe to repeat is sent at most once; where it may have been performed, its execution says outcome_unknown.
 * 2. Every execution ends.
 * 3. No secret is stored, journaled or answered in the clear: entities see hashes and envelopes, handlers and effects encrypt and decrypt.
 * 4. One refresh is under way for a connection; credentials of an older version never replace newer ones.
 * 5. A state and a token of a connect session are good for one use.
 * 6. Nothing of a webhook is believed before its signature. An event that was answered with 200 reaches its target once, or is
 *    published as dropped after a day; the same event within three days is the same event.
 *
 * Lost with the process: the pace of calls within the last second, and callers that wait.
 */

import { handling } from "../kit/ask.ts";
import { counted } from "../kit/counted.ts";
import type { Module } from "../module.ts";
import { knownConnection, openConnection } from "../notify/outbound/methods.ts";
import { type ModuleParts, publicUrlOf } from "../parts.ts";
import { loadCatalogue } from "./catalogue/load.ts";
import type { Catalogue } from "./catalogue/types.ts";
import { connectionActor } from "./connection/service.ts";
import { connectorEffects } from "./effects/effects.ts";
import { connectionDirectory, connectionMethods, known, opened } from "./handlers/connections.ts";
import { discovery } from "./handlers/discovery.ts";
import { encryptionMethods } from "./handlers/encryption.ts";
import { executionMethods } from "./handlers/executions.ts";
import { hookRoutes } from "./handlers/hooks.ts";
import { connectRoutes } from "./handlers/pages.ts";
import { providerConfigDirectory, providerConfigMethods } from "./handlers/provider-configs.ts";
import { sessionMethods } from "./handlers/sessions.ts";
import { subscriptionDirectory, subscriptionMethods } from "./handlers/subscriptions.ts";
import { countConnection } from "./metrics.ts";
import type { Parts } from "./parts.ts";
import { providerConfigActor } from "./provider-config/service.ts";

export interface Connectors extends Module {
  /** Why an action can never be executed here; `undefined` where it can, or could be switched on. */
  actionProblem(key: string): string | undefined;
}

export function connectors(given: ModuleParts): Connectors {
  const parts = partsOf(given);
  return {
    actionProblem(key) {
      const action = parts.catalogue().actions.get(key);
      if (action === undefined) return `the catalogue has no action ${key}`;
      return action.runtimeStatus === "catalog_only"
        ? `${key} cannot be executed: it is only listed`
        : undefined;
    },
    name: "connectors",
    actors: [providerConfigActor, counted(connectionActor, countConnection(given))],
    directories: [providerConfigDirectory, connectionDirectory, subscriptionDirectory],
    orchestrations: {
      ...discovery(parts),
      ...providerConfigMethods(parts),
      ...sessionMethods(parts),
      ...connectionMethods(parts),
      ...executionMethods(parts),
      ...encryptionMethods(parts),
      ...subscriptionMethods(parts),
    },
    routes: [...connectRoutes(parts), ...hookRoutes(parts)],
    effects: connectorEffects(parts),
    internal: {
      [openConnection.name]: handling(openConnection, opened(parts)),
      [knownConnection.name]: handling(knownConnection, known),
    },
  };
}

interface Settings {
  readonly "connector.catalogue_dir"?: string;
  readonly "connector.disabled_actions"?: readonly string[];
  readonly "connector.rotation_keys"?: Readonly<Record<string, string>>;
  readonly "server.http_addr"?: string;
}

function partsOf({ settings: given, outgoing, keyRing, call, clock }: ModuleParts): Parts {
  const settings = given as Settings;
  const folder = settings["connector.catalogue_dir"];
  const disabled = settings["connector.disabled_actions"] ?? [];
  const address = settings["server.http_addr"] ?? "127.0.0.1:0";
  const loopback = /^(127\.|localhost|\[::1\])/.test(address);
  let loaded: Catalogue | undefined;
  const catalogue = () => {
    loaded ??= loadCatalogue({ folder, disabled, denies: (host) => outgoing.denies(host) });
    return loaded;
  };
  // The files that are shipped are checked by tests; an operator's stop the start where they are wrong.
  if (folder) catalogue();
  const publicUrl = publicUrlOf(given);
  // On loopback the service is reached where it listens; of port 0 only the listener knows what it became.
  const isListener = publicUrl === "" && loopback && !address.endsWith(":0");
  return {
    outgoing,
    call,
    clock,
    catalogue,
    publicUrl: isListener ? `http://${address}` : publicUrl,
    retiredKeyIds: Object.keys(settings["connector.rotation_keys"] ?? {}),
    loopback,
    ...(keyRing && { keyRing }),
  };
}
