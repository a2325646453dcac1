import type { AgentDefinition } from "./definition";

/** The names of builtin tools, by what an agent asks for. */
export const BUILTIN_NAMES = { grep: ["grep", "grep-n"], ask: ["ask-person"], llm_query: ["llm-query"] } as const;

/** The name of a tool in the form that providers allow: `-` becomes `_`. */
export const nativeName = (name: string): string => name.replaceAll("-", "_");

/** The tools of an agent in text mode for which a provider would be given one name; null if there are none. */
export function nativeNameClash({
  output,
  tools,
  builtin_tools,
  llm_query,
}: Pick<AgentDefinition, "output" | "tools" | "builtin_tools" | "llm_query">): string | null {
  if (output !== "text") return null;
  const seen = new Map<string, string>();
  for (const name of [
    ...tools.map((tool) => (typeof tool === "string" ? tool : tool.name)),
    ...builtin_tools.flatMap((family) =>
      Object.hasOwn(BUILTIN_NAMES, family) ? BUILTIN_NAMES[family as "grep" | "ask"] : [],
    ),
    ...(llm_query ? BUILTIN_NAMES.llm_query : []),
  ]) {
    const native = nativeName(name);
    const other = seen.get(native);
    if (other !== undefined && other !== name)
      return `"${other}" and "${name}" have the same name for a model in text mode, "${native}": rename one of them`;
    seen.set(native, name);
  }
  return null;
}
