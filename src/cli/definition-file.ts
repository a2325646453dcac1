import { parseDefinition } from "../core/graph/parse";
import type { Definition } from "../core/graph/schema";
import type { Json } from "../core/json";
import { parseData } from "../data-file";
import { type Issue, mistakesText, placed } from "../file-mistakes";
import { CliError } from "./exit";
import { STDIN, textInput } from "./text-input";

/** A workflow definition from a file (JSON or YAML) or from standard input (`-`); every mistake is named with its line. */
export function readDefinition(file: string): Definition {
  const name = file === "-" ? STDIN : file;
  const text = textInput(file);
  const parsed = parseDefinition(parseData(text, name) as Json);
  if (parsed.ok) return parsed.value.definition;
  const found = (parsed.fail.details?.issues ?? []) as unknown as Finding[];
  const issues = placed(text, found.map(issueOf));
  throw new CliError(parsed.fail.reason, mistakesText(name, issues), {
    details: { issues: issues.map(({ named: _, ...issue }) => issue), warnings: parsed.fail.details?.warnings ?? [] },
  });
}

interface Finding {
  message: string;
  nodeId?: string;
  edgeIndex?: number;
}

function issueOf({ message, nodeId, edgeIndex }: Finding): Issue {
  const named = true;
  if (nodeId !== undefined) return { path: `nodes.${nodeId}`, message, named };
  if (edgeIndex !== undefined) return { path: `edges[${edgeIndex}]`, message, named };
  return { path: /workflow id|calls itself/.test(message) ? "id" : "", message, named };
}
