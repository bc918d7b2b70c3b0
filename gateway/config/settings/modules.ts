import {
  decimal,
  duration,
  flag,
  keyId,
  keysByName,
  link,
  list,
  listOf,
  oneOf,
  optionalKey,
  text,
  timeZone,
  whole,
} from "../kinds.ts";
import { setting } from "../setting.ts";

/** Connectors, notifications, and what the service says of itself. */
export const modulesSettings = {
  "connector.encryption_key": setting(optionalKey, {
    default: "",
    secret: true,
    reason:
      "Seals credentials at rest: 32 bytes in base64. Empty: the dev profile makes one in storage.dir, otherwise what needs it refuses.",
  }),
  "connector.encryption_key_id": setting(keyId, { default: "k1", reason: "Its name in what it seals." }),
  "connector.rotation_keys": setting(keysByName, {
    default: {},
    secret: true,
    reason: "Retired keys by id: they only open what was sealed with them.",
  }),
  "connector.catalogue_dir": setting(text, {
    default: "",
    reason: "Folder with more provider files (*.yaml); one with the key of a shipped provider replaces it.",
  }),
  "connector.disabled_actions": setting(list, {
    default: [],
    reason: "Keys of actions that may not be executed here, as stripe.create_refund.",
  }),
  "notification.connections_file": setting(text, {
    default: "",
    reason:
      "YAML file with connections by tenant and name, for integrations that name static:NAME; texts may name environment variables. Read again every 10 s, never stored.",
  }),
  "notification.sink.enabled": setting(flag, {
    default: false,
    dev: true,
    reason: "Lets integrations use the provider sink, which accepts every message and sends nothing.",
  }),
  "notification.render.threads": setting(whole({ min: 1, max: 16 }), {
    default: 1,
    reason: "Threads that run templates, of each worker; they start with the first template.",
  }),
  "notification.render.timeout": setting(duration({ min: 10 }), {
    default: 100,
    reason: "How long one message may take to render: over it the message fails and its thread is replaced.",
  }),
  "notification.dispatch.enabled": setting(flag, {
    default: false,
    dev: true,
    reason: "false: triggers are refused with DISPATCH_DISABLED; everything else of notifications works.",
  }),
  "notification.timezone": setting(timeZone, {
    default: "UTC",
    dynamic: "tenant",
    reason: "IANA zone of quiet hours where neither the schedule nor the subscriber has one.",
  }),
  "notification.require_verified": setting(flag, {
    default: false,
    dynamic: "tenant",
    reason: "true: only endpoints that were verified are sent to.",
  }),
  "notification.retention_days": setting(whole({ min: 1, max: 3_650 }), {
    default: 30,
    dynamic: "tenant",
    reason: "How long deliveries, their dead letters and observations are kept.",
  }),
  "notification.queue.mode": setting(oneOf("tiered", "single"), {
    default: "tiered",
    reason:
      "tiered: direct deliveries go before broadcasts. single: all wait in one line. The enterprise profile dispatches with tiered only.",
  }),
  "queue.series_hours": setting(whole({ min: 0, max: 168 }), {
    default: 24,
    reason:
      "How far back GET /api/queues/{pool_id}/series goes: a row a minute and queue in which something happens. 0: none is kept.",
  }),
  "webhook.enabled": setting(flag, {
    default: true,
    reason: "Sends events to the webhooks of tenants. false: they are kept and managed, and nothing is sent.",
  }),
  "anomaly.enabled": setting(flag, {
    default: true,
    reason:
      "Measures what the monitors of pools watch. false: they are kept and managed, and nothing is measured.",
  }),
  "anomaly.zscore_threshold": setting(decimal({ above: 0, max: 100 }), {
    default: 3,
    dynamic: "tenant",
    reason: "Standard deviations from which on a value is an anomaly, where a monitor does not say it.",
  }),
  "anomaly.iqr_multiplier": setting(decimal({ above: 0, max: 100 }), {
    default: 1.5,
    dynamic: "tenant",
    reason:
      "Distances between the quartiles beyond which a value is an anomaly, where a monitor does not say it.",
  }),
  "anomaly.rate_change_drop": setting(decimal({ above: 0, max: 1 }), {
    default: 0.5,
    dynamic: "tenant",
    reason: "The share of a rate whose loss is an anomaly, where a monitor does not say it.",
  }),
  "anomaly.actions": setting(listOf("log", "alert", "auto-pause", "deprioritize"), {
    default: ["alert", "log"],
    dynamic: "tenant",
    reason: "What monitors do that do not say it. deprioritize is of recipients only.",
  }),
  "live.pools_max": setting(whole({ min: 0, max: 100_000 }), {
    default: 2_000,
    reason:
      "How many pools a thread looks at for GET /api/live/pools, each once a second however many watch it; watchers of more are refused with 429. 0: nobody watches.",
  }),
  "server.public_url": setting(link("empty"), {
    default: "",
    reason:
      "Where browsers and providers reach this service, as https://service.example.com: in addresses of connect pages and webhooks, and in the links of mails.",
  }),
  "dynamic_config.enabled": setting(flag, {
    default: false,
    reason: "Lets tenants keep values of their own for dynamic settings, and /api/config/export show them.",
  }),
  "docs.production_url": setting(link("path"), {
    default: "/",
    reason: "Production server in /openapi.yaml; / is wherever the document was read.",
  }),
  "docs.staging_url": setting(link("path"), {
    default: "/",
    reason:
      "Staging server in /openapi.yaml. Never a host that is not yours: /docs sends credentials to the server that is chosen.",
  }),
} as const;
