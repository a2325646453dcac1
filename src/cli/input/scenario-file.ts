import path from "node:path";
import { parseAgent } from "../../core/agent/definition/parse-agent";
import type { Reason } from "../../core/base/failure";
import { asNavigatorError, type NavigatorError } from "../../core/base/navigator-error";
import { parseData, parseJson, readTextFile } from "../../node/data-file";
import { type Issue, mistakesText, placed } from "../../node/file-mistakes";
import { type AgentScenario, parseAgentScenario } from "../../simulate/simulate-agent";
import { type PlanScenario, parsePlanScenario } from "../../simulate/simulate-plan";
import { STDIN, textInput } from "./text-input";

/** The scenario of a file or of standard input (`-`); `agent` may name an agent file, from the scenario's folder. */
export function readAgentScenario(file: string): AgentScenario {
  const name = file === "-" ? STDIN : file;
  const text = textInput(file);
  const raw = withAgentFile(dataOf(text, name), file === "-" ? "." : path.dirname(file));
  const scenario = parseAgentScenario(raw);
  if (scenario.ok) return scenario.value;
  throw refusal(scenario.fail, name, text);
}

/** The same for a plan; `plan` may name a separate file. */
export function readPlanScenario(file: string): PlanScenario {
  const name = file === "-" ? STDIN : file;
  const text = textInput(file);
  const raw = withPlanFile(dataOf(text, name), file === "-" ? "." : path.dirname(file));
  const scenario = parsePlanScenario(raw);
  if (scenario.ok) return scenario.value;
  throw refusal(scenario.fail, name, text);
}

function withPlanFile(raw: unknown, folder: string): unknown {
  const { plan } = (raw ?? {}) as { plan?: unknown };
  if (typeof plan !== "string") return raw;
  const file = path.join(folder, plan);
  return { ...(raw as object), plan: dataOf(readTextFile(file), file) };
}

/**
 * Tries JSON first, whatever the file's name: the JSON reader is exact where YAML is lenient, and keeps `__proto__` a plain key. A text
 * that JSON refuses may still be flow-style YAML. If the name ends in `.json`, it is JSON with a mistake.
 */
export function dataOf(text: string, name: string): unknown {
  try {
    if (/^\s*[{[]/.test(text)) return parseJson(text, name);
  } catch (error) {
    if (name.endsWith(".json")) throw error;
  }
  return parseData(text, name);
}

function withAgentFile(raw: unknown, folder: string): unknown {
  const { agent } = (raw ?? {}) as { agent?: unknown };
  if (typeof agent !== "string") return raw;
  const file = path.join(folder, agent);
  const text = readTextFile(file);
  const read = parseData(text, file);
  // Checked here, where the lines of mistakes are known.
  const parsed = parseAgent(read);
  if (!parsed.ok) throw refusal(parsed.fail, file, text);
  return { ...(raw as object), agent: { name: path.basename(file, path.extname(file)), ...(read as object) } };
}

function refusal(fail: { reason: Reason; details?: object }, file: string, text: string): NavigatorError {
  const { issues: found = [] } = (fail.details ?? {}) as { issues?: Issue[] };
  const issues = placed(text, found);
  return asNavigatorError({
    reason: fail.reason,
    message: mistakesText(file, issues),
    details: { path: file, issues },
  });
}
