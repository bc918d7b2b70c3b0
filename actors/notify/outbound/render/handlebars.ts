import Handlebars from "handlebars";
import { SyntaxProblem, type Template } from "./template.ts";

const engine = Handlebars.create();
// The other built-in helpers read data and nothing else.
engine.unregisterHelper("log");
const helpers = { if: true, unless: true, each: true, with: true, lookup: true, log: false };
/** Their block has another context: `with` that of its argument, `each` one that no path from outside names. */
const contextHelpers = new Set(["each", "with"]);

/** Compiles a text; an AST is never taken, because its literals would reach the generated code as they are. */
export function compileHandlebars(source: string, html: boolean): Template {
  const program = parse(source);
  const seen = new Walk();
  seen.accept(program);
  const options: CompileOptions = { knownHelpers: helpers, knownHelpersOnly: true, noEscape: !html };
  check(source, options);
  const compiled = engine.compile(source, options);
  const safe = { allowProtoPropertiesByDefault: false, allowProtoMethodsByDefault: false };
  return {
    hasContent: seen.hasContent,
    variables: () => [...seen.paths].sort(),
    render: (data, content) =>
      compiled(content === undefined ? data : { ...data, content: new engine.SafeString(content) }, safe),
  };
}

function parse(source: string): hbs.AST.Program {
  try {
    return engine.parse(source);
  } catch (error) {
    throw problemOf(error);
  }
}

/** `compile` looks at the text when it is first rendered; this does now. */
function check(source: string, options: CompileOptions): void {
  try {
    engine.precompile(source, options);
  } catch (error) {
    throw problemOf(error);
  }
}

interface HandlebarsError extends Error {
  readonly lineNumber?: number;
  readonly column?: number;
  readonly hash?: { readonly loc?: { readonly first_line: number; readonly first_column: number } };
}

function problemOf(error: unknown): unknown {
  const { message, lineNumber, column, hash } = error as HandlebarsError;
  if (error instanceof RangeError) return error;
  const line = lineNumber ?? hash?.loc?.first_line ?? Number(/on line (\d+)/.exec(message)?.[1] ?? 1);
  const at = column ?? hash?.loc?.first_column ?? 0;
  return new SyntaxProblem(message.split("\n").at(-1)!, { line, column: at + 1 });
}

type Node = hbs.AST.Node & { readonly loc: hbs.AST.SourceLocation };

/** Refuses what reaches outside the template, and collects the paths it reads. */
class Walk extends Handlebars.Visitor {
  readonly paths = new Set<string>();
  hasContent = false;
  /** The path of each context, outermost first; undefined where no path names it. */
  readonly #contexts: (string | undefined)[] = [""];
  /** Names that `as |x|` gives to what no path names. */
  readonly #names: string[] = [];

  override PartialStatement(node: Node): void {
    refuseNode(node, "partials");
  }
  override PartialBlockStatement(node: Node): void {
    refuseNode(node, "partials");
  }
  override Decorator(node: Node): void {
    refuseNode(node, "decorators");
  }
  override DecoratorBlock(node: Node): void {
    refuseNode(node, "decorators");
  }

  override MustacheStatement(node: hbs.AST.MustacheStatement): void {
    const path = node.path as hbs.AST.PathExpression;
    if (path.type === "PathExpression" && path.original === "content" && node.params.length === 0)
      this.hasContent = true;
    this.#call(node);
  }

  override SubExpression(node: hbs.AST.SubExpression): void {
    this.#call(node);
  }

  override BlockStatement(node: hbs.AST.BlockStatement): void {
    this.#call(node);
    const helper = (node.path as hbs.AST.PathExpression).original;
    const isHelper = helper in helpers;
    const [first] = node.params as hbs.AST.PathExpression[];
    const inner =
      isHelper && !contextHelpers.has(helper)
        ? this.#contexts.at(-1)
        : helper === "with" && first?.type === "PathExpression"
          ? this.#fullPath(first)
          : undefined;
    const names = node.program?.blockParams ?? [];
    // A block without a helper of that name goes through a list, or enters an object.
    this.#contexts.push(inner);
    this.#names.push(...names);
    if (node.program) this.accept(node.program);
    this.#names.length -= names.length;
    this.#contexts.pop();
    if (node.inverse) this.accept(node.inverse);
  }

  override PathExpression(path: hbs.AST.PathExpression): void {
    const full = this.#fullPath(path);
    if (full !== undefined && full !== "" && full !== "content") this.paths.add(full);
  }

  /** The name of a helper is no path; without arguments it is one. */
  #call(node: hbs.AST.MustacheStatement | hbs.AST.SubExpression | hbs.AST.BlockStatement): void {
    const path = node.path as hbs.AST.PathExpression;
    const isHelper = path.type === "PathExpression" && path.original in helpers;
    if (isHelper && path.original === "log") refuseNode(node as unknown as Node, "the helper log");
    if (!isHelper) this.accept(path as unknown as hbs.AST.Node);
    this.acceptArray(node.params);
    if (node.hash) this.accept(node.hash);
  }

  #fullPath(path: hbs.AST.PathExpression): string | undefined {
    const [first] = path.parts;
    if (first !== undefined && path.depth === 0 && this.#names.includes(first)) return undefined;
    if (path.data) return first === "root" ? path.parts.slice(1).join(".") : undefined;
    // `if` and `unless` are no step for `..`, as Handlebars counts it.
    const context = this.#contexts.at(-1 - path.depth);
    if (context === undefined) return undefined;
    return [context, ...path.parts].filter((part) => part !== "").join(".");
  }
}

function refuseNode(node: Node, what: string): never {
  const { line, column } = node.loc.start;
  throw new SyntaxProblem(`${what} cannot be used here`, { line, column: column + 1 });
}
