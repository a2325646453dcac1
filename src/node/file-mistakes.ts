import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";

/** Mistakes in a user's file, each with its line: `tools[0].signature` is hard to find in a long file. */

/** What is wrong, and where: `tools[0].signature` or `model.0.content`; "" for the whole. */
export interface Issue {
  path: string;
  message: string;
  /** The message names its place itself: the path only finds the line. */
  named?: boolean;
}

/** With its place, 1-based, if the file has one. Something missing has no place. */
export interface PlacedIssue extends Issue {
  line?: number;
  column?: number;
}

/** The issues in the order of the file. @param text YAML or JSON */
export function placed(text: string, issues: readonly Issue[]): PlacedIssue[] {
  const find = placesIn(text);
  return issues
    .map((issue): PlacedIssue => ({ ...issue, ...find(issue.path) }))
    .sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
}

/** `agent.yaml:3:1: toolz: unknown option`, or a list with a line for each when there are several. */
export function mistakesText(file: string, issues: readonly PlacedIssue[]): string {
  const textOf = ({ path, message, named }: Issue) =>
    (path === "" || named ? message : `${path}: ${message}`).replace(/\.$/, "");
  const [first, ...others] = issues;
  if (first && others.length === 0)
    return `${file}${first.line === undefined ? "" : `:${first.line}:${first.column}`}: ${textOf(first)}.`;
  const lines = issues.map((issue) => `  ${issue.line === undefined ? "" : `line ${issue.line}: `}${textOf(issue)}`);
  return [`${file} has ${issues.length} mistakes:`, ...lines].join("\n");
}

type Place = { line: number; column: number };

function placesIn(text: string): (path: string) => Place | undefined {
  const lines = new LineCounter();
  // JSON is YAML too, and this reader keeps all positions.
  const document = parseDocument(text, { lineCounter: lines, logLevel: "silent" });
  return (path) => {
    const offset = offsetOf(document.contents as Node | null, path.split(/[.[\]]+/).filter(Boolean), (node) =>
      isAlias(node) ? (node.resolve(document) ?? null) : node,
    );
    if (offset === undefined) return undefined;
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
}

/**
 * The place of a path, or of its existing part; undefined if not even its beginning exists: no line is better than a
 * wrong one.
 */
function offsetOf(root: Node | null, path: string[], resolve: (node: Node | null) => Node | null): number | undefined {
  let node = resolve(root);
  let offset: number | undefined;
  for (let i = 0; i < path.length; ) {
    const step = isMap(node) ? keyOf(node, path.slice(i)) : isSeq(node) ? itemOf(node, path[i] as string) : undefined;
    if (!step) return offset;
    offset = step.at.range?.[0];
    node = resolve(step.value);
    i += step.parts;
  }
  return offset;
}

interface PathStep {
  /** What stands at the place. */
  at: Node;
  value: Node | null;
  /** The number of path parts that it uses: a key may contain dots. */
  parts: number;
}

function keyOf(map: YAMLMap, path: string[]): PathStep | undefined {
  for (let parts = 1; parts <= path.length; parts++) {
    const name = path.slice(0, parts).join(".");
    const pair = map.items.find(({ key }) => isScalar(key) && String(key.value) === name);
    if (pair) return { at: pair.key as Node, value: pair.value as Node | null, parts };
  }
  return undefined;
}

function itemOf(list: YAMLSeq, index: string): PathStep | undefined {
  const item = list.items[Number(index)] as Node | undefined;
  return item && { at: item, value: item, parts: 1 };
}
