import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { isObject } from "#base";
import {
  type ContractMethod,
  type Print,
  planOf,
  printerOf,
  type Sse,
  writtenOnce,
} from "../../contract/index.ts";

/** An answer as an event. The same answer is written once, however many clients it goes to. */
export interface EventWriter {
  write(answer: unknown): Uint8Array;
  /** Whether nothing comes after it. */
  isLast(answer: object): boolean;
}

export function eventWriter(method: ContractMethod, sse: Sse): EventWriter {
  const { output } = method.descriptor;
  const partsOf = sse.oneof === undefined ? byFields(output, sse) : byOneof(output, sse.oneof);
  const idOf = (answer: object) => (sse.id === undefined ? undefined : valueAt(answer, sse.id));
  return {
    write: writtenOnce((answer) => Buffer.from(textOf(partsOf(answer), idOf(answer)))),
    isLast: (answer) => sse.last !== undefined && partsOf(answer).event === sse.last,
  };
}

interface Parts {
  /** Absent: `message`, as clients call one without a name. */
  readonly event?: string;
  /** Absent: the answer only moves the id on. */
  readonly data?: string;
}

/** JSON has no line breaks of its own, so an event is one line of data. */
function textOf({ event, data }: Parts, id: unknown): string {
  let text = "";
  if (event !== undefined) text += `event: ${oneLine(event)}\n`;
  if (id !== undefined) text += `id: ${oneLine(String(id))}\n`;
  if (data !== undefined) text += `data: ${data}\n`;
  return `${text}\n`;
}

/** What would end the line, and NUL, with which clients ignore an id. */
function oneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
  return text.replace(/[\r\n\u0000]/g, "");
}

export function errorEvent(problem: unknown): Uint8Array {
  return Buffer.from(textOf({ event: "error", data: JSON.stringify(problem) }, undefined));
}

function byOneof(output: DescMessage, name: string): (answer: object) => Parts {
  const members = output.oneofs
    .find((oneof) => oneof.name === name)!
    .fields.map((field) => ({ name: field.name, print: printOf(field) }));
  return (answer) => {
    for (const { name: event, print } of members) {
      const value = (answer as Record<string, unknown>)[event];
      if (value !== undefined) return { event, data: print(value) };
    }
    return {};
  };
}

function byFields(output: DescMessage, { event, data }: Sse): (answer: object) => Parts {
  const print = printOf(fieldAt(output, data!));
  return (answer) => {
    const value = valueAt(answer, data!);
    const name = event === undefined ? undefined : valueAt(answer, event);
    return {
      ...(name !== undefined && { event: String(name) }),
      ...(value !== undefined && { data: print(value) }),
    };
  };
}

function printOf(field: DescField): Print {
  return field.message === undefined ? (value) => JSON.stringify(value) : printerOf(field.message);
}

function fieldAt(message: DescMessage, path: string): DescField {
  const [name, ...rest] = path.split(".");
  const { field } = planOf(message).byName.get(name!)!;
  return rest.length === 0 ? field : fieldAt(field.message!, rest.join("."));
}

function valueAt(answer: object, path: string): unknown {
  let value: unknown = answer;
  for (const name of path.split(".")) value = isObject(value) ? value[name] : undefined;
  return value;
}
