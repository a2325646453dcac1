import { ERROR_CODES, type ErrorClass, type ErrorEntry, PROGRAM_ERROR_CODES } from "../../src/core/base/error-codes";
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
  graph: "Mistakes in a graph definition, found by `navigator workflow check`.",
  internal: "An internal error in Navigator.",
};

const RETRIED: { readonly [who in ErrorEntry["retried"]]: string } = {
  engine: "Temporal or Navigator",
  model: "the model, in its next turn",
  planner: "the planner",
  no: "nobody",
};

/** Every code with its meaning, hint, exit code and who tries again, in one table for each class. */
export function errorCodes(): string {
  const codes = Object.entries<ErrorEntry>(ERROR_CODES);
  const tables = Object.entries(CLASSES).map(([errorClass, about]) => {
    const rows = codes
      .filter(([, entry]) => entry.class === errorClass)
      .map(([code, { meaning, hint, exit, retried }]) => [`\`${code}\``, meaning, hint, `${exit}`, RETRIED[retried]]);
    const table = markdownTable(["code", "meaning", "what to do", "exit code", "who retries"], rows);
    return `### \`${errorClass}\`\n\n${about}\n\n${table}`;
  });
  return tables.join("\n\n");
}

export function programErrorCodes(): string {
  const rows = Object.entries(PROGRAM_ERROR_CODES).map(([code, meaning]) => [`\`${code}\``, meaning]);
  return markdownTable(["code", "meaning"], rows);
}
