import { ERROR_CODES, type ErrorClass, type ErrorEntry, FAMILIES } from "../../src/core/base/error-codes";
import { PROGRAM_ERROR_CODES } from "../../src/core/lisp/values/errors";
import { markdownTable } from "./markdown-table";

/** The classes in the order of the page, each with what it says of its codes. */
const CLASSES: { readonly [errorClass in ErrorClass]: string } = {
  input: "The input is wrong. Correct it and call again.",
  absent: "The named object does not exist.",
  state: "The request is valid, but not possible now.",
  server: "Temporal or the workers cannot be reached.",
  source: "An MCP server or an OpenAPI document is not available.",
  agent: "Why an agent run failed: `step.fail.reason`.",
  model: "Why a model call failed.",
  plan: "Why a plan failed.",
  program: "Why a program failed. The model sees the error in its next turn.",
  internal: "An internal error in Navigator.",
};

const RETRIED: { readonly [who in Exclude<ErrorEntry["retried"], "no">]: string } = {
  engine: "Temporal or Navigator",
  model: "the model, in its next turn",
  planner: "the planner",
};

/** Every code with its meaning and hint, in one table for each class, and the codes that somebody retries. */
export function errorCodes(): string {
  const codes = Object.entries<ErrorEntry>(ERROR_CODES);
  const tables = Object.entries(CLASSES).map(([errorClass, about]) => {
    const entries = codes.filter(([, entry]) => entry.class === errorClass);
    const rows = entries.map(([code, { meaning, hint }]) => [`\`${code}\``, meaning, hint]);
    const table = markdownTable(["code", "meaning", "what to do"], rows);
    return `### \`${errorClass}\`\n\n${about} Exit code ${entries[0]?.[1].exit}.\n\n${table}`;
  });
  const rows = Object.entries(RETRIED).map(([who, name]) => {
    const retried = codes.filter(([, entry]) => entry.retried === who).map(([code]) => `\`${code}\``);
    return [name, retried.join(", ")];
  });
  return [...tables, `### Who retries\n\n${markdownTable(["who", "codes"], rows)}\n\nNobody retries the others.`].join(
    "\n\n",
  );
}

/** The families with their kinds. */
export function errorFamilies(): string {
  const rows = Object.entries<readonly string[]>(FAMILIES).map(([code, kinds]) => [
    `\`${code}\``,
    kinds.map((kind) => `\`${kind}\``).join(", "),
  ]);
  return markdownTable(["code", "`details.kind`"], rows);
}

export function programErrorCodes(): string {
  const rows = Object.entries(PROGRAM_ERROR_CODES).map(([code, meaning]) => [`\`${code}\``, meaning]);
  return markdownTable(["code", "meaning"], rows);
}
