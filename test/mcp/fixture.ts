/** What the conformance suites of the protocol call: tools, prompts and resources by the names they ask for. */
import { createHmac } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type CallToolResult,
  type ContentBlock,
  type GetPromptResult,
  type InputRequiredResult,
  MissingRequiredClientCapabilityError,
  type PrimitiveSchemaDefinition,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  type ServerContext,
} from "@modelcontextprotocol/server";

type ToolAnswer = CallToolResult | InputRequiredResult;
type ToolHandler = (context: ServerContext) => ToolAnswer | Promise<ToolAnswer>;

const png =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
const wav = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=";

const content = (...blocks: ContentBlock[]): CallToolResult => ({ content: blocks });
const text = (value: string): ContentBlock => ({ type: "text", text: value });
const image: ContentBlock = { type: "image", data: png, mimeType: "image/png" };

/** A question that the client puts to its user. */
function asks(message: string, property: string, field: PrimitiveSchemaDefinition = { type: "string" }) {
  const requestedSchema = {
    type: "object" as const,
    properties: { [property]: field },
    required: [property],
  };
  return {
    method: "elicitation/create" as const,
    params: { mode: "form" as const, message, requestedSchema },
  };
}

function samples(question: string, maxTokens: number) {
  const message = { role: "user" as const, content: { type: "text" as const, text: question } };
  return { method: "sampling/createMessage" as const, params: { messages: [message], maxTokens } };
}

const roots = { method: "roots/list", params: {} } as const;

/** `state`: what the client sends back with its answers. */
function inputRequired(
  inputRequests: InputRequiredResult["inputRequests"],
  state?: string,
): InputRequiredResult {
  return {
    resultType: "input_required",
    ...(inputRequests && { inputRequests }),
    ...(state !== undefined && { requestState: signed(state) }),
  };
}

const mac = (state: string) => createHmac("sha256", "fixture").update(state).digest("base64url");
const signed = (state: string) => `${state}.${mac(state)}`;

function verified(given: string): string {
  const [state = "", found] = given.split(".");
  if (found !== mac(state)) throw new Error("it was changed");
  return state;
}

/** What the client answered to the question; `undefined`: nothing, or not as asked. */
function answerTo({ mcpReq }: ServerContext, key: string, property: string): unknown {
  const answer = mcpReq.inputResponses?.[key] as { content?: Record<string, unknown> } | undefined;
  return answer?.content?.[property];
}

const has = ({ mcpReq }: ServerContext, ...keys: string[]) =>
  keys.every((key) => mcpReq.inputResponses?.[key] !== undefined);

function capabilitiesOf({ mcpReq }: ServerContext): Readonly<Record<string, unknown>> {
  const envelope = mcpReq.envelope as Readonly<Record<string, Record<string, unknown>>> | undefined;
  return envelope?.["io.modelcontextprotocol/clientCapabilities"] ?? {};
}

/** Without a session no answer comes. */
const soon = { timeout: 500 };

/** A request to the client in the middle of a call: of the revisions with sessions. */
async function elicits({ mcpReq }: ServerContext): Promise<CallToolResult> {
  await mcpReq.elicitInput(asks("Who are you?", "name").params, soon);
  return content(text("elicited"));
}

const tools: Readonly<Record<string, ToolHandler>> = {
  test_simple_text: () => content(text("This is a simple text response for testing.")),
  test_image_content: () => content(image),
  test_audio_content: () => content({ type: "audio", data: wav, mimeType: "audio/wav" }),
  test_embedded_resource: () =>
    content({
      type: "resource",
      resource: {
        uri: "test://embedded-resource",
        mimeType: "text/plain",
        text: "This is an embedded resource content.",
      },
    }),
  test_multiple_content_types: () =>
    content(text("Multiple content types test:"), image, {
      type: "resource",
      resource: {
        uri: "test://mixed-content-resource",
        mimeType: "application/json",
        text: JSON.stringify({ test: "data", value: 123 }),
      },
    }),
  test_error_handling: () => ({
    ...content(text("This tool intentionally returns an error for testing")),
    isError: true,
  }),
  async test_tool_with_logging({ mcpReq }) {
    for (const message of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
      await mcpReq.log("info", message);
      await sleep(50);
    }
    return content(text("Tool with logging executed successfully"));
  },
  async test_logging_tool({ mcpReq }) {
    await mcpReq.log("info", "logged");
    return content(text("logged"));
  },
  async test_tool_with_progress({ mcpReq }) {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined)
        await mcpReq.notify({
          method: "notifications/progress",
          params: { progressToken, progress, total: 100 },
        });
      await sleep(50);
    }
    return content(text("done"));
  },
  async test_sampling({ mcpReq }) {
    await mcpReq.requestSampling({ messages: [], maxTokens: 100 }, soon);
    return content(text("sampled"));
  },
  test_elicitation: elicits,
  test_elicitation_sep1034_defaults: elicits,
  test_elicitation_sep1330_enums: elicits,
  test_reconnection: () => content(text("one answer")),
  test_missing_capability(context) {
    if (capabilitiesOf(context).sampling === undefined)
      throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } });
    return content(text("sampling is declared"));
  },
  test_streaming_elicitation: (context) =>
    has(context, "name") ? content(text("ok")) : inputRequired({ name: asks("What is your name?", "name") }),
  test_input_required_result_elicitation(context) {
    const name = answerTo(context, "user_name", "name");
    return typeof name === "string"
      ? content(text(`Hello, ${name}!`))
      : inputRequired({ user_name: asks("What is your name?", "name") });
  },
  test_input_required_result_sampling: (context) =>
    has(context, "capital_question")
      ? content(text(JSON.stringify(context.mcpReq.inputResponses)))
      : inputRequired({ capital_question: samples("What is the capital of France?", 100) }),
  test_input_required_result_list_roots: (context) =>
    has(context, "client_roots")
      ? content(text(JSON.stringify(context.mcpReq.inputResponses)))
      : inputRequired({ client_roots: roots }),
  test_input_required_result_request_state: (context) =>
    has(context, "confirm") && context.mcpReq.requestState() === "confirm"
      ? content(text("state-ok"))
      : inputRequired({ confirm: asks("Please confirm", "ok", { type: "boolean" }) }, "confirm"),
  test_input_required_result_tampered_state: (context) =>
    has(context, "confirm")
      ? content(text("state-ok"))
      : inputRequired({ confirm: asks("Please confirm", "ok", { type: "boolean" }) }, "confirm"),
  test_input_required_result_multiple_inputs: (context) =>
    has(context, "user_name", "greeting", "client_roots")
      ? content(text("all there"))
      : inputRequired(
          {
            user_name: asks("What is your name?", "name"),
            greeting: samples("Generate a greeting", 50),
            client_roots: roots,
          },
          "several",
        ),
  test_input_required_result_multi_round(context) {
    const state = context.mcpReq.requestState();
    if (state === "2" && has(context, "step2")) return content(text("done"));
    if (state === "1" && has(context, "step1"))
      return inputRequired({ step2: asks("Step 2: What is your favorite color?", "color") }, "2");
    return inputRequired({ step1: asks("Step 1: What is your name?", "name") }, "1");
  },
  test_input_required_result_capabilities(context) {
    const { sampling, elicitation } = capabilitiesOf(context);
    if (has(context, "sampled") || has(context, "asked")) return content(text("ok"));
    return inputRequired({
      ...(sampling !== undefined && { sampled: samples("Hello?", 10) }),
      ...(elicitation !== undefined && { asked: asks("What is your name?", "name") }),
    });
  },
};

const user = (block: ContentBlock) => ({ role: "user", content: block }) as const;

const prompts: Readonly<
  Record<
    string,
    {
      readonly takes?: readonly string[];
      readonly get: (
        given: Readonly<Record<string, string>>,
        context: ServerContext,
      ) => GetPromptResult | InputRequiredResult;
    }
  >
> = {
  test_simple_prompt: { get: () => ({ messages: [user(text("This is a simple prompt for testing."))] }) },
  test_prompt_with_arguments: {
    takes: ["arg1", "arg2"],
    get: ({ arg1, arg2 }) => ({
      messages: [user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))],
    }),
  },
  test_prompt_with_embedded_resource: {
    takes: ["resourceUri"],
    get: ({ resourceUri: uri = "" }) => ({
      messages: [
        user({
          type: "resource",
          resource: { uri, mimeType: "text/plain", text: "Embedded resource content for testing." },
        }),
        user(text("Please process the embedded resource above.")),
      ],
    }),
  },
  test_prompt_with_image: {
    get: () => ({ messages: [user(image), user(text("Please analyze the image above."))] }),
  },
  test_input_required_result_prompt: {
    get: (_given, context) =>
      has(context, "user_context")
        ? { messages: [user(text("with context"))] }
        : inputRequired({ user_context: asks("What context should the prompt use?", "context") }),
  },
};

const resources = [
  { uri: "test://static-text", name: "text", description: "A text.", mimeType: "text/plain" },
  { uri: "test://static-binary", name: "binary", description: "An image.", mimeType: "image/png" },
  { uri: "test://watched-resource", name: "watched", description: "A text.", mimeType: "text/plain" },
];

function read(uri: string) {
  const [, id] = /^test:\/\/template\/([^/]+)\/data$/.exec(uri) ?? [];
  if (id !== undefined)
    return {
      uri,
      mimeType: "application/json",
      text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
    };
  const found = resources.find((one) => one.uri === uri);
  if (found === undefined) throw new ResourceNotFoundError(uri);
  const { mimeType } = found;
  return mimeType === "image/png"
    ? { uri, mimeType, blob: png }
    : { uri, mimeType, text: "This is the content of the static text resource." };
}

/** Of the schema language, everything that must reach the client as it is. */
const jsonSchemaTool = {
  name: "json_schema_2020_12_tool",
  description: "Tool with JSON Schema 2020-12 features",
  inputSchema: {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object" as const,
    $defs: {
      address: {
        $anchor: "addressDef",
        type: "object",
        properties: { street: { type: "string" }, city: { type: "string" } },
      },
    },
    properties: {
      name: { type: "string" },
      address: { $ref: "#/$defs/address" },
      contactMethod: { type: "string", enum: ["phone", "email"] },
      phone: { type: "string" },
      email: { type: "string" },
    },
    allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
    if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
    // biome-ignore lint/suspicious/noThenProperty: a word of the schema language.
    then: { required: ["phone"] },
    else: { required: ["email"] },
    additionalProperties: false,
  },
};

const hint = { ttlMs: 1_000, cacheScope: "public" } as const;

export function fixtureServer(): Server {
  const server = new Server(
    { name: "fixture", version: "1" },
    {
      capabilities: { tools: {}, prompts: {}, resources: { subscribe: true }, completions: {}, logging: {} },
      cacheHints: {
        "tools/list": hint,
        "prompts/list": hint,
        "resources/list": hint,
        "resources/templates/list": hint,
        "resources/read": hint,
      },
      requestState: { verify: (state) => verified(state) },
    },
  );
  server.setRequestHandler("tools/list", () => ({
    tools: [
      jsonSchemaTool,
      ...Object.keys(tools).map((name) => ({
        name,
        description: name,
        inputSchema: { type: "object" as const },
      })),
    ],
  }));
  server.setRequestHandler("tools/call", ({ params: { name } }, context) => {
    const tool = tools[name];
    if (tool === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `no tool ${name}`);
    return tool(context);
  });
  server.setRequestHandler("prompts/list", () => ({
    prompts: Object.entries(prompts).map(([name, { takes = [] }]) => ({
      name,
      description: name,
      arguments: takes.map((one) => ({ name: one, description: one, required: true })),
    })),
  }));
  server.setRequestHandler("prompts/get", ({ params: { name, arguments: given = {} } }, context) => {
    const prompt = prompts[name];
    if (prompt === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `no prompt ${name}`);
    return prompt.get(given, context);
  });
  server.setRequestHandler("resources/list", () => ({ resources }));
  server.setRequestHandler("resources/templates/list", () => ({
    resourceTemplates: [
      {
        uriTemplate: "test://template/{id}/data",
        name: "template",
        description: "Data of an id.",
        mimeType: "application/json",
      },
    ],
  }));
  server.setRequestHandler("resources/read", ({ params: { uri } }) => ({ contents: [read(uri)] }));
  server.setRequestHandler("resources/subscribe", () => ({}));
  server.setRequestHandler("resources/unsubscribe", () => ({}));
  server.setRequestHandler("completion/complete", () => ({ completion: { values: [] } }));
  return server;
}
