/** Requests of the catalogue against what Stripe and GitHub publish; `npm run oracles` asks them again. */
import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import addFormats from "ajv-formats";
import test from "ava";
import { inputs } from "../../../test/oracles/requests.ts";
import { prepare } from "../effects/request.ts";
import { loadCatalogue } from "./load.ts";

const { actions } = loadCatalogue({ disabled: [] });
const samples = <T>(name: string) =>
  JSON.parse(readFileSync(new URL(`../../../test/oracles/${name}`, import.meta.url), "utf8")) as T[];

test("every action of Stripe and GitHub is asked about", (t) => {
  const known = [...actions.values()].filter(
    ({ provider, file }) => ["stripe", "github"].includes(provider.key) && file.request !== undefined,
  );
  t.deepEqual(known.map(({ key }) => key).sort(), Object.keys(inputs).sort());
  for (const [key, given] of Object.entries(inputs))
    for (const input of given)
      t.true(actions.get(key)!.validateInput(input), `${key} ${JSON.stringify(input)}`);
});

interface Taken {
  readonly action: string;
  readonly input: object;
  readonly request: { readonly method: string; readonly path: string; readonly body?: string };
}

test("requests to Stripe are those that stripe-mock has taken", (t) => {
  const taken = samples<Taken>("stripe.json");
  const asked = Object.entries(inputs).filter(([key]) => key.startsWith("stripe."));
  t.is(taken.length, asked.flatMap(([, given]) => given).length);
  for (const { action, input, request } of taken) {
    const base_url = "https://api.stripe.com";
    const { method, url, body } = prepare(actions.get(action)!, { input, config: { base_url }, now: 0 });
    t.deepEqual(
      JSON.parse(JSON.stringify({ method, path: url.slice(base_url.length), body })),
      request,
      action,
    );
  }
});

interface Operation {
  readonly action: string;
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly schema: object;
  }[];
  readonly body?: object;
}

test("requests to GitHub are what its OpenAPI description has", (t) => {
  const ajv = new Ajv({ strict: false, coerceTypes: true, allErrors: true });
  addFormats.default(ajv);
  for (const { action, method, path, parameters, body: schema } of samples<Operation>("github.json"))
    for (const input of inputs[action]!) {
      const request = prepare(actions.get(action)!, { input, config: {}, now: 0 });
      const url = new URL(request.url);
      const names = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name!);
      const pattern = new RegExp(`^${path.replace(/\{[^}]+\}/g, "([^/]+)")}$`);
      const [, ...values] = pattern.exec(url.pathname) ?? [];
      t.is(request.method, method);
      t.is(values.length, names.length, `${request.url} is ${path}`);
      const given = [
        ...names.map((name, n) => ({ in: "path", name, value: values[n]! })),
        ...[...url.searchParams].map(([name, value]) => ({ in: "query", name, value })),
      ];
      for (const { in: where, name, value } of given) {
        const parameter = parameters.find((one) => one.name === name && one.in === where);
        if (!t.truthy(parameter, `${action}: GitHub has no parameter ${name}`)) continue;
        t.true(
          ajv.validate({ properties: { value: parameter!.schema } }, { value }),
          `${action}: ${name}=${value}`,
        );
      }
      for (const { name, in: where, required } of parameters)
        if (required && where !== "header")
          t.true(
            given.some((one) => one.name === name),
            `${action}: ${name}`,
          );
      if (schema === undefined) t.is(request.body, undefined);
      else {
        const body = JSON.parse(request.body!) as Record<string, unknown>;
        t.true(ajv.validate(schema, body), `${action}: ${ajv.errorsText()}`);
        const properties = Object.keys((schema as { properties?: object }).properties ?? {});
        for (const name of Object.keys(body)) t.true(properties.includes(name), `${action}: ${name}`);
      }
    }
});
