import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { parseSync } from "@swc/core";

/**
 * What the workflow code consists of, read from its sources: so that a new workflow, message or activity is asked for by
 * the tests that list them.
 */
export const SOURCES = path.join(__dirname, "../../src");
export const WORKFLOWS = path.join(SOURCES, "workflows");

/** All TypeScript files below a folder, as paths relative to it. */
export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .sort();
}

export interface MessageDefinition {
  /** The constant that workflows and clients use. */
  constant: string;
  kind: "signal" | "update" | "query";
  /** As it stands in a history. */
  name: string;
}

/** All messages that are defined for workflows. */
export function messageDefinitions(): MessageDefinition[] {
  const pattern = /const (\w+) = define(Signal|Update|Query)\b[\s\S]*?\(\s*"([^"]+)"/g;
  return filesBelow(WORKFLOWS).flatMap((file) =>
    [...readFileSync(path.join(WORKFLOWS, file), "utf8").matchAll(pattern)].map(([, constant, kind, name]) => ({
      constant: constant as string,
      kind: (kind as string).toLowerCase() as MessageDefinition["kind"],
      name: name as string,
    })),
  );
}

/** The activities by the names in their contract. */
export function activityNames(): string[] {
  for (const file of filesBelow(path.join(SOURCES, "core"))) {
    const source = readFileSync(path.join(SOURCES, "core", file), "utf8");
    if (!source.includes("interface NavigatorActivities")) continue;
    const module = parseSync(source, { syntax: "typescript" }) as unknown as { body: ExportedInterface[] };
    const found = module.body.find(({ declaration }) => declaration?.id?.value === "NavigatorActivities");
    if (found) return found.declaration.body.body.map(({ key }) => key.value);
  }
  throw new Error("src/core declares no interface NavigatorActivities.");
}

interface ExportedInterface {
  declaration: { id?: { value: string }; body: { body: { key: { value: string } }[] } };
}

/** Each workflow type with the file that exports it. */
export function workflowEntries(): { workflow: string; file: string }[] {
  const index = path.join(WORKFLOWS, "index.ts");
  return [...readFileSync(index, "utf8").matchAll(/export \{([^}]+)\} from "([^"]+)"/g)].flatMap(([, names, from]) =>
    (names as string).split(",").map((name) => ({
      workflow: name.trim(),
      file: path.join(WORKFLOWS, `${from}.ts`),
    })),
  );
}

/** The files of src/workflows that a workflow is made of: what its file imports, and so on, without other workflows. */
export function filesOf(workflow: string): string[] {
  const entries = workflowEntries();
  const own = entries.find((entry) => entry.workflow === workflow);
  if (!own) throw new Error(`src/workflows exports no workflow ${workflow}.`);
  const others = new Set(entries.filter((entry) => entry !== own).map(({ file }) => file));
  const found = new Set<string>();
  const visit = (file: string) => {
    if (found.has(file) || others.has(file)) return;
    found.add(file);
    for (const next of importsOf(file)) if (next.startsWith(WORKFLOWS)) visit(next);
  };
  visit(own.file);
  return [...found];
}

interface Import {
  type: string;
  typeOnly?: boolean;
  source?: { value: string } | null;
  specifiers?: { isTypeOnly?: boolean }[];
}

/** Files that a file needs when it runs: imports of types alone are none. */
function importsOf(file: string): string[] {
  const module = parseSync(readFileSync(file, "utf8"), { syntax: "typescript" }) as unknown as { body: Import[] };
  return module.body
    .filter(({ type }) => type === "ImportDeclaration" || type === "ExportNamedDeclaration")
    .filter(
      ({ typeOnly, specifiers = [] }) => !typeOnly && !(specifiers.length > 0 && specifiers.every((s) => s.isTypeOnly)),
    )
    .map(({ source }) => source?.value ?? "")
    .filter((from) => from.startsWith("."))
    .map((from) => path.join(path.dirname(file), `${from}.ts`));
}
