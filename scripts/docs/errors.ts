import { ERROR_CODES, type ErrorClass, type ErrorEntry, FAMILIES } from "../../src/core/base/error-codes";
import { PROGRAM_ERROR_CODES } from "../../src/core/lisp/values/errors";
import { markdownTable } from "./markdown-table";

/** The classes in the order of the page, each with a sentence about its codes. */
const CLASSES: { readonly [errorClass in ErrorClass]: string } = {
  input: "The input is wrong. Correct it and call again.",
  absent: "The named object does not exist.",
  state: "The request is valid, but not possible now.",
  server: "Temporal or the workers cannot be reached.",
  source: "An MCP server or an OpenAPI document is not available.",
  agent: "Why an agent run failed: `step.fail.reason`.",
  model: "Why a model call failed.",
  plan: "Why a plan failed.",
  program: "Why a program failed. The model sees the error in its next turn and may correct it.",
  internal: "A bug.",
};

const RETRIED: { readonly [who in ErrorEntry["retried"]]: string } = {
  engine: " _Navigator retries._",
  model: " _The model retries._",
  planner: " _The planner retries._",
  no: "",
};

/** Every code with its meaning and remedy: one table for each class, and one for the codes of the language. */
export function errorCodes(): string {
  const tables = Object.entries(CLASSES).map(([errorClass, about]) => {
    const entries = Object.entries<ErrorEntry>(ERROR_CODES).filter(([, entry]) => entry.class === errorClass);
    const table = markdownTable(["code", "meaning and remedy"], entries.map(rowOf));
    return `### \`${errorClass}\`\n\n${about} Exit code ${entries[0]?.[1].exit}.\n\n${table}`;
  });
  const details = Object.entries(PROGRAM_ERROR_CODES).map(([code, meaning]) => [`\`${code}\``, meaning]);
  const table = markdownTable(["`details.code`", "meaning"], details);
  return [...tables, `### Details of a program's failure\n\n${table}`].join("\n\n");
}

function rowOf([code, { class: errorClass, meaning, hint, retried }]: [string, ErrorEntry]): string[] {
  const kinds = (FAMILIES as { readonly [code: string]: readonly string[] })[code] ?? [];
  const list = kinds.map((kind) => `\`${kind}\``).join(", ");
  const by = errorClass === "program" ? "" : RETRIED[retried];
  return [`\`${code}\``, `${meaning}${list === "" ? "" : ` \`kind\`: ${list}.`} ${hint}${by}`];
}
