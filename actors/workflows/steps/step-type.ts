/** What a definition may say of one kind of step, and what it does outside. The table in index.ts has all of them. */
export interface StepType {
  /** The module that it calls, where a build may lack it: a definition that has the step is then not published. */
  readonly module?: string;
  /** Besides those that every step has. */
  readonly fields: Readonly<Record<string, Field>>;
  /** What is wrong with the step as a whole, once its fields are right. */
  readonly wrong?: (step: Readonly<Record<string, unknown>>) => string | undefined;
  /** What the publisher must hold: the step runs as the workflow. */
  readonly permission?: string;
  /** What it calls, from its fields with their templates filled in. Absent: the engine does it. */
  readonly call?: (
    filled: Readonly<Record<string, unknown>>,
    step: Readonly<Record<string, unknown>>,
    run: { readonly id: string; readonly definitionKey: string },
  ) => Call;
  /** How an answered call goes on; absent: the step has ended, and the answer is its output. */
  readonly answered?: (answer: Answer, step: Readonly<Record<string, unknown>>) => Answered;
  /** What it started may act outside before it ends: after a time-out it is unknown whether it has. */
  readonly actsOutside?: true;
  /** What takes back what is under way, when the run is cancelled. */
  readonly undo?: (held: Answer) => Call;
}

export type Answer = Readonly<Record<string, unknown>>;

export interface Call {
  readonly method: string;
  readonly request: Readonly<Record<string, unknown>>;
  /** The step hears how what it started has ended. */
  readonly origin?: true;
}

/** `held`: the step waits for the end of what it started, and this is how to name it. */
type Answered = { readonly output: unknown } | { readonly held: Answer };

export type Form = "id" | "time" | "action";

export interface Field {
  /**
   * `template`: any value with `${CEL}` in its texts; `text`: one that must be a text; `number`, `list`, `object`: a number, some
   * of `choices`, or an object, or one expression.
   */
  readonly is:
    | "template"
    | "text"
    | "object"
    | "number"
    | "flag"
    | "choice"
    | "list"
    | "cases"
    | "steps"
    | "branches";
  readonly required?: true;
  /** Of a text without an expression: the id of a record, a moment (RFC 3339) or the key of an action. */
  readonly form?: Form;
  readonly least?: number;
  readonly most?: number;
  readonly choices?: readonly string[];
  /** Of an object: all members that it may have, and those of which it has one. */
  readonly names?: readonly string[];
  readonly exactlyOne?: readonly string[];
  /** Of its members, by name. */
  readonly forms?: Readonly<Record<string, Form>>;
}
