import { ERROR_CODES, type ErrorClass, type ErrorEntry, PROGRAM_ERROR_CODES } from "../../src/core/base/error-codes";
import { markdownTable } from "./markdown-table";

/** The classes in the order of the page, each with what it says of its codes. */
const CLASSES: { readonly [errorClass in ErrorClass]: string } = {
  input: "What was given is wrong. Correct it and call again.",
  absent: "What is named does not exist.",
  state: "The request is right, and not possible now.",
  server: "Temporal, or every worker, cannot be reached.",
  source: "An MCP server or an OpenAPI document cannot be had.",
  agent: "How a run of an agent failed: `step.fail.reason`.",
  model: "How a model call failed.",
  plan: "How a plan failed.",
  program: "How a program failed. The model sees the error in its next turn.",
  graph: "What is wrong with a graph definition: `navigator workflow check`.",
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
