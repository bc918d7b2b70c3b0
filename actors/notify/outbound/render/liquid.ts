import { Drop, Liquid, type Template as LiquidTemplate, Output } from "liquidjs";
import { limits } from "#base";
import { SyntaxProblem, type Template } from "./template.ts";

/** What a layout puts out as it is. */
class Content extends Drop {
  readonly html: string;

  constructor(html: string) {
    super();
    this.html = html;
  }

  override valueOf(): string {
    return this.html;
  }
}

const plain = engineOf(false);
const escaping = engineOf(true);

export function compileLiquid(source: string, html: boolean): Template {
  const engine = html ? escaping : plain;
  const templates = parse(engine, source);
  return {
    get hasContent() {
      return putsOutContent(templates);
    },
    variables: () =>
      engine
        .globalFullVariablesSync(templates)
        .filter((path) => path !== "content")
        .sort(),
    render: (data, content) =>
      String(
        engine.renderSync(
          templates,
          content === undefined ? data : { ...data, content: new Content(content) },
        ),
      ),
  };
}

/** The three limits are looked at between steps: they end most loops before the thread has to be ended. */
function engineOf(html: boolean): Liquid {
  const engine: Liquid = new Liquid({
    ownPropertyOnly: true,
    strictFilters: true,
    dynamicPartials: false,
    relativeReference: false,
    templates: {},
    parseLimit: limits.templateSourceBytesMax,
    renderLimit: limits.renderTimeoutMsMax,
    memoryLimit: limits.renderMemoryUnitsMax,
    ...(html && { outputEscape: (value: unknown) => escaped(engine, value) as string }),
  });
  for (const tag of ["include", "render", "layout", "block"]) delete engine.tags[tag];
  return engine;
}

function escaped(engine: Liquid, value: unknown): unknown {
  if (value instanceof Content) return value.html;
  const unlimited = { context: { memoryLimit: { use: () => undefined } } };
  return (engine.filters.escape as (this: unknown, value: unknown) => unknown).call(unlimited, value);
}

interface LiquidError extends Error {
  readonly token?: { getPosition(): [number, number] };
}

function parse(engine: Liquid, source: string): LiquidTemplate[] {
  try {
    return engine.parse(source);
  } catch (error) {
    if (error instanceof RangeError) throw error;
    const { message, token } = error as LiquidError;
    const [line, column] = token?.getPosition() ?? [1, 1];
    throw new SyntaxProblem(message.replace(/, line:\d+, col:\d+$/, ""), { line, column });
  }
}

/** Any `{{ content }}`, also inside of tags. */
function putsOutContent(templates: readonly LiquidTemplate[]): boolean {
  return templates.some((template) => {
    if (template instanceof Output && namesContent(template)) return true;
    // A generator of the engine's own: without partials there is nothing to wait for.
    const inside = (
      template.children?.(false, true) as Generator<unknown, LiquidTemplate[]> | undefined
    )?.next();
    return inside?.done === true && putsOutContent(inside.value);
  });
}

function namesContent({ value: { initial } }: Output): boolean {
  const [read, ...more] = initial.postfix as readonly { props?: readonly { content?: unknown }[] }[];
  const [name, ...members] = read?.props ?? [];
  return more.length === 0 && members.length === 0 && name?.content === "content";
}
