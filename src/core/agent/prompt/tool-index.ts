import { shortened } from "../../base/whole-characters";
import type { ToolSpec } from "../../calls/tool";
import { type AgentDefinition, isOneTurn } from "../definition/definition";
import { toolGroup } from "../tools/tool-search";

/**
 * Which tools a prompt shows (agent reference, section 4.5). With more tools than `tools_in_prompt` the prompt shows the
 * pinned ones whole, and of the others an index of a fixed size: how many there are, their groups and some names. So a
 * prompt is as long with 500 tools as with 50.
 */

/** The tools of an agent as its prompt shows them. */
interface ShownTools {
  /** Shown whole. */
  whole: ToolSpec[];
  /** All tools, when some of them are only in the index; null when all are shown whole. */
  indexed: readonly ToolSpec[] | null;
}

/**
 * Which of these tools the prompt of the agent shows.
 *
 * @param found names of tools that a search has found: they are shown whole, too
 */
export function shownTools(
  agent: AgentDefinition,
  tools: readonly ToolSpec[],
  found: readonly string[] = [],
): ShownTools {
  if (!needsSearch(agent, tools.length)) return { whole: [...tools], indexed: null };
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const names = new Set([...agent.pinned_tools, ...found]);
  return { whole: [...names].flatMap((name) => byName.get(name) ?? []), indexed: tools };
}

/**
 * Whether the agent has so many tools that its model is shown an index. An agent of one turn is shown all: it has no turn
 * in which it could use what it finds.
 */
export function needsSearch(agent: AgentDefinition, tools: number): boolean {
  const limit = agent.tools_in_prompt ?? null;
  return limit !== null && tools > limit && !isOneTurn(agent);
}

/** Characters of the names in an index. 31 names of usual length fill them, so more tools do not make it longer. */
const INDEX_CHARS = 480;
const MAX_GROUPS = 12;
/** Characters of the names of further groups. */
const MORE_CHARS = 100;

/** The index of these tools: one line for each group, `github (120): github_create_issue, ...`. */
export function toolIndex(tools: readonly ToolSpec[]): string[] {
  const groups = groupsOf(tools);
  const shown = groups.slice(0, MAX_GROUPS);
  const maxChars = Math.floor(INDEX_CHARS / shown.length);
  const lines = shown.map(({ group, names }) => groupLine(group, names, maxChars));
  const more = groups.slice(MAX_GROUPS).map(({ group }) => group);
  return more.length === 0 ? lines : [...lines, namesLine(`${more.length} more groups:`, more, MORE_CHARS)];
}

interface Group {
  group: string;
  names: string[];
}

/** By the first word of their names, the largest first. Tools that stand alone are one group. */
function groupsOf(tools: readonly ToolSpec[]): Group[] {
  const groups = new Map<string, string[]>();
  const alone: string[] = [];
  for (const { name } of [...tools].sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const group = toolGroup(name) ?? "";
    const names = groups.get(group);
    if (names === undefined) groups.set(group, [name]);
    else names.push(name);
  }
  const found: Group[] = [];
  for (const [group, names] of groups)
    if (group === "" || names.length === 1) alone.push(...names);
    else found.push({ group, names });
  if (alone.length > 0) found.push({ group: "others", names: alone.sort() });
  return found.sort((a, b) => b.names.length - a.names.length || (a.group < b.group ? -1 : 1));
}

function groupLine(group: string, names: readonly string[], maxChars: number): string {
  const line = `${shortened(group, MAX_GROUP_CHARS)} (${names.length}):`;
  const whole = namesLine(line, names, maxChars);
  return whole === line ? line.slice(0, -1) : whole;
}

/** Adds as many of the names as fit into `maxChars`. */
function namesLine(begin: string, names: readonly string[], maxChars: number): string {
  let line = begin;
  let shown = 0;
  for (const name of names) {
    if (line.length + name.length + 2 > maxChars) break;
    line += `${shown === 0 ? " " : ", "}${name}`;
    shown += 1;
  }
  return shown > 0 && shown < names.length ? `${line}, ...` : line;
}

const MAX_GROUP_CHARS = 24;
