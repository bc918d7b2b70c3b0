import { keys, type LoadedConfig, settingOf, variableOf } from "./load.ts";

/** One line per setting: what `service config` prints. */
export function describeConfig({ config, origins }: LoadedConfig): string {
  const lines = keys.map((key) => {
    const { kind, secret } = settingOf(key);
    const printed = kind.print(config[key]);
    const value = secret !== undefined && printed !== "" ? "(secret)" : printed;
    return `${key} = ${value === "" ? '""' : value}    # ${origins.get(key)}`;
  });
  return `${lines.join("\n")}\n`;
}

/** The table of docs/configuration.md; a test compares the two. */
export function settingsMarkdown(): string {
  const rows = keys.map((key) => {
    const { kind, default: usual, dev, reason, dynamic } = settingOf(key);
    const standard = code(kind.print(usual));
    const value = dev === undefined ? standard : `${standard} (dev: ${code(kind.print(dev))})`;
    const note = dynamic === undefined ? "" : " Tenants may have their own value.";
    return `| \`${key}\` | ${kind.name.replaceAll("|", "\\|")} | ${value} | \`${variableOf(key)}\` | ${reason}${note} |`;
  });
  return ["| setting | type | default | environment | what it does |", "|---|---|---|---|---|", ...rows].join(
    "\n",
  );
}

function code(value: string): string {
  return value === "" ? "–" : `\`${value}\``;
}
