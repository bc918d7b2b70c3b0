/** A template that was compiled, as both engines have it. Only render threads load the engines. */
export interface Template {
  /** `content`: of a layout, what stands in its place; it is not escaped again. */
  render(data: object, content?: string): string;
  /** Whether `{{ content }}` is put out anywhere. */
  readonly hasContent: boolean;
  /** The paths that it reads, as `payload.name`, sorted. */
  variables(): readonly string[];
}

/** The template is wrong as it is written. */
export class SyntaxProblem extends Error {
  override readonly name = "SyntaxProblem";
  readonly line: number;
  readonly column: number;

  constructor(
    message: string,
    at: { readonly line?: number | undefined; readonly column?: number | undefined },
  ) {
    super(message);
    this.line = at.line ?? 1;
    this.column = at.column ?? 1;
  }
}
