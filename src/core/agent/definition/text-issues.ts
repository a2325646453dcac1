import { type Field, parseSignature, type Signature, SignatureError, type Type } from "../../signature/parse";
import type { AgentIssue } from "./agent-issues";
import { parseTemplate, type Template, TemplateError } from "./template";

/**
 * The rules of text mode: the model sees only the prompt, so the prompt must contain everything (agent reference,
 * section 2).
 */
export function textIssues(raw: { [option: string]: unknown }): AgentIssue[] {
  if (raw.output !== "text" && raw.output !== "json") return [];
  const issues: AgentIssue[] = [];
  if (raw.compression !== undefined && raw.compression !== null)
    issues.push({ path: "compression", message: "text mode has no compression" });
  const signature = readSignature(raw.signature);
  if (signature === undefined) return issues;
  const hidden = hiddenFields(signature.output);
  if (hidden.length > 0)
    issues.push({
      path: "signature",
      message: `text mode cannot hide output fields: ${hidden.join(", ")} begin with _`,
    });
  const template = typeof raw.prompt === "string" ? readTemplate(raw.prompt) : undefined;
  if (template === undefined || raw.template === "literal") return issues;
  const used = usedNames(template);
  const unused = signature.parameters.filter((field) => !used.has(field.name)).map((field) => field.name);
  if (unused.length > 0)
    issues.push({
      path: "signature",
      message: `unused parameters ${unused.join(", ")}: in text mode the prompt is all that the model sees, so use {{${unused[0]}}} in it`,
    });
  return [...issues, ...sectionIssues(template, signature.parameters)];
}

function readSignature(text: unknown): Signature | undefined {
  if (typeof text !== "string") return undefined;
  try {
    return parseSignature(text);
  } catch (error) {
    if (error instanceof SignatureError) return undefined; // named elsewhere
    throw error;
  }
}

function readTemplate(text: string): Template | undefined {
  try {
    return parseTemplate(text);
  } catch (error) {
    if (error instanceof TemplateError) return undefined; // plain text then
    throw error;
  }
}

function hiddenFields(type: Type): string[] {
  if (type.kind === "list") return hiddenFields(type.of);
  if (type.kind !== "record") return [];
  return type.fields.flatMap((field) => [
    ...(field.name.startsWith("_") ? [field.name] : []),
    ...hiddenFields(field.type),
  ]);
}

/** First parts of all names, those inside sections included. */
function usedNames(template: Template): Set<string> {
  return new Set(
    template.flatMap((part) => {
      if (part.kind === "text") return [];
      const name = part.name.split(".")[0] as string;
      return part.kind === "section" ? [name, ...usedNames(part.parts)] : [name];
    }),
  );
}

/**
 * Inside a section over a list of records only their fields are available; `{{.}}` is an item that is neither a map nor
 * a list.
 */
function sectionIssues(template: Template, scope: readonly Field[]): AgentIssue[] {
  return template.flatMap((part): AgentIssue[] => {
    if (part.kind === "text") return [];
    if (part.kind === "variable")
      return part.name === "." ? [{ path: "prompt", message: "{{.}} means an item: use it inside a section" }] : [];
    const type = scope.find((field) => field.name === part.name)?.type;
    const item = type?.kind === "list" ? type.of : type;
    if (item?.kind === "record") return recordSectionIssues(part.name, part.parts, [...item.fields, ...scope]);
    const inner = part.parts.filter((one) => !(one.kind === "variable" && one.name === "."));
    return sectionIssues(inner, scope);
  });
}

function recordSectionIssues(section: string, parts: Template, scope: readonly Field[]): AgentIssue[] {
  const issues = parts.flatMap((part): AgentIssue[] => {
    if (part.kind !== "variable") return [];
    if (part.name === ".")
      return [{ path: "prompt", message: `{{.}} inside {{#${section}}} is a map: name one of its fields` }];
    const name = part.name.split(".")[0] as string;
    if (scope.some((field) => field.name === name)) return [];
    return [{ path: "prompt", message: `{{${part.name}}} inside {{#${section}}} is no field of its items` }];
  });
  const nested = parts.filter((part) => part.kind === "section");
  return [...issues, ...sectionIssues(nested, scope)];
}
