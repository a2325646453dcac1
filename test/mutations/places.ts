import { parseSync } from "@swc/core";

/**
 * The places of the workflow code where one more command would break every running workflow that passes: found by
 * reading the sources, so that new code has its places by itself.
 */
export interface Place {
  /** `file:line:column`, the file below src. */
  id: string;
  kind: PlaceKind;
  /** The line of code. */
  text: string;
}

/**
 * - `await`: before something is waited for.
 * - `command`: before a call of the Temporal SDK whose result nobody waits for here.
 * - `async function`, `handler`: at the beginning of an async function, and of what is done with an update or a signal.
 */
export type PlaceKind = "await" | "command" | "async function" | "handler";

/** Text to insert at an offset (bytes). `before`: of two insertions at one offset the outer comes first. */
interface Insertion {
  at: number;
  text: string;
}

interface Syntax {
  type: string;
  span?: { start: number; end: number };
  [key: string]: unknown;
}

/** Calls of @temporalio/workflow that write history. `setHandler` and what only reads are none. */
const COMMANDS = new Set([
  "condition",
  "continueAsNew",
  "executeChild",
  "makeContinueAsNewFunc",
  "patched",
  "deprecatePatch",
  "sleep",
  "startChild",
  "upsertMemo",
  "upsertSearchAttributes",
]);

/** What the code calls by names of its own. */
export interface Names {
  /** Constants of queries: what is done with one is no part of a run. */
  queries: ReadonlySet<string>;
  /** Activities. */
  activities: ReadonlySet<string>;
}

/**
 * Finds the places of one file, and writes the code with something inserted at each.
 *
 * @param awaited code for where `await` may stand: an expression; `plain`: the same where it may not
 */
export function instrument(
  source: string,
  file: string,
  names: Names,
  inserted: { awaited(id: string): string; plain(id: string): string },
): { code: string; places: Place[] } {
  // A first statement of one byte tells where the parser begins to count.
  const module = parseSync(`;${source}`, { syntax: "typescript" }) as unknown as Syntax & { body: Syntax[] };
  const base = (module.body[0]?.span?.start ?? 0) + 1;
  const bytes = Buffer.from(source);
  const places: Place[] = [];
  const insertions: Insertion[] = [];

  const placeAt = (start: number, kind: PlaceKind): string => {
    const before = bytes.subarray(0, start).toString();
    const line = before.split("\n").length;
    const column = before.length - before.lastIndexOf("\n");
    const id = `${file}:${line}:${column}`;
    places.push({ id, kind, text: (source.split("\n")[line - 1] ?? "").trim() });
    return id;
  };
  const within = (node: Syntax, text: string) => {
    const { start, end } = spanOf(node);
    insertions.push({ at: start - base, text: `(${text}, ` }, { at: end - base, text: ")" });
  };
  const atBegin = (body: Syntax, text: string) => {
    if (body.type === "FunctionBody" || body.type === "BlockStatement")
      insertions.push({ at: spanOf(body).start - base + 1, text: ` ${text};` });
    else within(body, text);
  };

  const visit = (node: Syntax, inAsync: boolean, parent: Syntax | undefined, handlerOf: string | undefined): void => {
    let async = inAsync;
    if (isFunction(node)) {
      async = node.async === true;
      const body = node.body as Syntax | null | undefined;
      if (handlerOf !== undefined && names.queries.has(handlerOf)) return;
      const handler = handlerOf !== undefined;
      if (body && (async || handler)) {
        const id = placeAt(spanOf(body).start - base, handler ? "handler" : "async function");
        atBegin(body, async ? inserted.awaited(id) : inserted.plain(id));
      }
    }
    if (node.type === "AwaitExpression") {
      const id = placeAt(spanOf(node).start - base, "await");
      within(node, inserted.awaited(id));
    }
    if (isCommand(node, names) && parent?.type !== "AwaitExpression") {
      const id = placeAt(spanOf(node).start - base, "command");
      within(node, inserted.plain(id));
    }
    const handles = handledMessage(node);
    for (const [child, index] of childrenOf(node))
      visit(child, async, node, handles !== undefined && index === 1 ? handles : undefined);
  };
  for (const statement of module.body) visit(statement, false, undefined, undefined);

  // From the end, so that offsets hold. Closings come before what opens at the same offset.
  let code = bytes;
  const ordered = insertions.map((insertion, order) => ({ ...insertion, order }));
  ordered.sort((a, b) => b.at - a.at || b.order - a.order);
  for (const { at, text } of ordered)
    code = Buffer.concat([code.subarray(0, at), Buffer.from(text), code.subarray(at)]);
  return { code: code.toString(), places };
}

/** Functions, arrows, and what stands in a method. */
const isFunction = (node: Syntax) => typeof node.async === "boolean" && "body" in node;

const spanOf = (node: Syntax) => node.span as { start: number; end: number };

/** The name by which something is called: `sleep(...)`, `handle.signal(...)`. */
function calledName(node: Syntax): string | undefined {
  if (node.type !== "CallExpression") return undefined;
  const callee = node.callee as Syntax;
  if (callee.type === "Identifier") return callee.value as string;
  const property = callee.property as Syntax | undefined;
  return property?.type === "Identifier" ? (property.value as string) : undefined;
}

function isCommand(node: Syntax, { activities }: Names): boolean {
  const name = calledName(node);
  if (name === undefined) return false;
  // Methods of our own are called `sleep` and `cancel`, too: of methods only signals and activities count.
  if ((node.callee as Syntax).type === "Identifier") return COMMANDS.has(name);
  return name === "signal" || activities.has(name);
}

/** `setHandler(messages.decide, ...)` handles `decide`. */
function handledMessage(node: Syntax): string | undefined {
  if (calledName(node) !== "setHandler") return undefined;
  const [first] = node.arguments as { expression: Syntax }[];
  const message = first?.expression;
  if (message?.type === "Identifier") return message.value as string;
  const property = message?.property as Syntax | undefined;
  return property?.value as string | undefined;
}

/** The parts of a node; the arguments of a call with their places. */
function* childrenOf(node: Syntax): Generator<[Syntax, number | undefined]> {
  for (const [key, value] of Object.entries(node)) {
    if (key === "span") continue;
    const list = Array.isArray(value) ? value : [value];
    for (const [index, item] of list.entries()) {
      const child = key === "arguments" ? (item as { expression: Syntax }).expression : item;
      if (typeof child === "object" && child !== null) yield [child as Syntax, key === "arguments" ? index : undefined];
    }
  }
}
