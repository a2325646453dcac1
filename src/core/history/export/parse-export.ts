import { isObject } from "../../base/is-object";
import { MAX_DATE_MS } from "../../base/iso-time";
import type { Json, JsonObject } from "../../base/json";
import { canonicalJson } from "../../effects/canonical-json";
import { type ChainLink, LINK_KINDS } from "../../effects/chain/link";
import { textDigest } from "../../effects/effect-id";
import { isEndState } from "../read/facts";
import { type EndLine, type HeaderLine, type HeadLine, type LedgerLine, LINE_FIELDS, type LinkLine } from "./format";
import type { LedgerProblem } from "./verdict";

/** An exported ledger, line by line. */
export interface ParsedExport {
  header: HeaderLine;
  links: { number: number; line: LinkLine }[];
  heads: { number: number; line: HeadLine }[];
  end: { number: number; line: EndLine };
}

/** Reads the lines of an export strictly: what was written in another way than `ledgerText` does is a problem. */
export function parseExport(text: string): { parsed: ParsedExport | null; problems: LedgerProblem[] } {
  const problems: LedgerProblem[] = [];
  const note = (line: number, code: LedgerProblem["code"], message: string) => problems.push({ line, code, message });
  if (!text.endsWith("\n")) note(0, "missing_entry", "The file does not end with a whole line: its end was cut off.");
  const texts = text.split("\n");
  if (texts.at(-1) === "") texts.pop();
  const lines: (LedgerLine | null)[] = [];
  for (const [i, one] of texts.entries()) {
    const line = readLine(one);
    if (typeof line === "string") note(i + 1, "bad_line", line);
    else if (i > 0 && "before" in line && line.before !== textDigest(texts[i - 1] as string))
      note(
        i,
        "line_changed",
        `Line ${i} is not the one that line ${i + 1} follows: it was changed, or lines are missing.`,
      );
    lines.push(typeof line === "string" ? null : line);
  }
  const parsed = inOrder(lines, note);
  return { parsed: problems.length === 0 ? parsed : null, problems };
}

function inOrder(
  lines: readonly (LedgerLine | null)[],
  note: (line: number, code: LedgerProblem["code"], message: string) => void,
): ParsedExport | null {
  const links: ParsedExport["links"] = [];
  const heads: ParsedExport["heads"] = [];
  const [header] = lines;
  if (header?.line !== "ledger") {
    note(1, "missing_entry", "The file does not begin with the line of a ledger.");
    return null;
  }
  for (const [i, line] of lines.entries()) {
    const number = i + 1;
    if (line === null || i === 0) continue;
    if (line.line === "link") {
      if (heads.length > 0) note(number, "order", "A link follows the heads.");
      links.push({ number, line });
    } else if (line.line === "head") heads.push({ number, line });
    else if (line.line === "ledger") note(number, "order", "The file has a second beginning.");
    else if (number < lines.length) note(number, "order", "Lines follow the end of the ledger.");
  }
  const end = lines.at(-1);
  if (end?.line !== "end") {
    note(lines.length, "missing_entry", "The last line is not the end of the ledger: the end was cut off.");
    return null;
  }
  return { header, links, heads, end: { number: lines.length, line: end } };
}

/** The line, or what is wrong with it. */
function readLine(text: string): LedgerLine | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
    if (canonicalJson(value as Json) !== text) return "The line is not as an export writes it: it was changed.";
  } catch {
    return "The line is no JSON.";
  }
  if (!isObject(value)) return "The line is no object.";
  const kind = value.line;
  const fields = typeof kind === "string" && Object.hasOwn(LINE_FIELDS, kind) ? LINE_FIELDS[kind as "link"] : undefined;
  if (fields === undefined) return "The line is of no kind that an export has.";
  const { all, optional = [] } = fields;
  const unknown = Object.keys(value).find((field) => !all.includes(field));
  if (unknown !== undefined) return `The line has the field "${unknown}", which no such line has.`;
  const missing = all.find((field) => !optional.includes(field) && !Object.hasOwn(value as JsonObject, field));
  if (missing !== undefined) return `The line lacks the field "${missing}".`;
  return PROBLEMS[kind as LedgerLine["line"]](value) ?? (value as unknown as LedgerLine);
}

const isText = (value: unknown): value is string => typeof value === "string";
const isCount = (value: unknown): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
/** Ms since 1970 that a date can show. */
const isTime = (value: unknown): boolean => isCount(value) && value <= MAX_DATE_MS;
const hasOnly = (value: JsonObject, fields: readonly string[]): boolean =>
  Object.keys(value).length === fields.length && fields.every((field) => Object.hasOwn(value, field));

/** What is wrong with the values of a line. */
const PROBLEMS: { [kind in LedgerLine["line"]]: (line: JsonObject) => string | null } = {
  ledger: ({ format, mission, made_at, people, workflows }) => {
    if (format !== 1) return "The ledger has a format that this version does not know.";
    if (!isText(mission) || !isTime(made_at)) return "The line does not name the subject and the time of the export.";
    if (people !== null && !isObject(people)) return "Its people are no map.";
    const isSound = (one: unknown) =>
      isObject(one) &&
      hasOnly(one, ["id", "parent", "type", "runs", "budget", "status"]) &&
      isText(one.id) &&
      (one.parent === null || isText(one.parent)) &&
      isText(one.type) &&
      isCount(one.runs) &&
      (one.budget === null || isObject(one.budget)) &&
      isText(one.status) &&
      (one.status === "running" || isEndState(one.status));
    return Array.isArray(workflows) && workflows.every(isSound) ? null : "Its list of workflows has mistakes.";
  },
  link: ({ before, workflow, link, value, asked }) => {
    if (asked !== undefined && !isAskedIn(asked)) return "It does not name where its effect was asked for.";
    return isText(before) && isText(workflow) && isLink(link) && (value === undefined || isObject(value))
      ? null
      : "It is no link: {seq, prev, hash, kind, at, body}.";
  },
  head: ({ before, workflow, head, signature }) =>
    isText(before) &&
    isText(workflow) &&
    isObject(head) &&
    hasOnly(head, ["seq", "hash", "at", "final"]) &&
    isCount(head.seq) &&
    isText(head.hash) &&
    isTime(head.at) &&
    typeof head.final === "boolean" &&
    (signature === null || isText(signature))
      ? null
      : "It is no head: {seq, hash, at, final} and a signature.",
  end: ({ before, lines, links, ends }) => {
    const isSound = (one: unknown) =>
      isObject(one) &&
      hasOnly(one, ["workflow", "seq", "hash"]) &&
      isText(one.workflow) &&
      isCount(one.seq) &&
      isText(one.hash);
    return isText(before) && isCount(lines) && isCount(links) && Array.isArray(ends) && ends.every(isSound)
      ? null
      : "It is no end: {lines, links, ends}.";
  },
};

const isAskedIn = (asked: Json): boolean =>
  isObject(asked) &&
  Object.keys(asked).every((field) => field === "invocation" || field === "turn_cost") &&
  isCount(asked.invocation) &&
  (asked.turn_cost === undefined || typeof asked.turn_cost === "number");

const isLink = (link: unknown): link is ChainLink & JsonObject =>
  isObject(link) &&
  hasOnly(link, ["seq", "prev", "hash", "kind", "at", "body"]) &&
  isCount(link.seq) &&
  isText(link.prev) &&
  isText(link.hash) &&
  isText(link.kind) &&
  (LINK_KINDS as readonly string[]).includes(link.kind) &&
  isTime(link.at) &&
  isObject(link.body);
