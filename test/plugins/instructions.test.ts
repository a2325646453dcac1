import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { parse } from "yaml";
import * as z from "zod";
import { ERROR_CODES } from "../../src/core/base/error-codes";
import { CORE_TOOLS, TOOLS } from "../../src/mcp/tools";
import { CLAUDE_PLUGIN } from "../support/plugins/claude-code";

/** What coding agents are told in plugins/: it names what exists, in the form in which their programs read it. */

const root = path.join(__dirname, "../..");
const plugins = path.join(root, "plugins");
const textOf = (...place: string[]) => readFileSync(path.join(root, ...place), "utf8");
const jsonOf = (...place: string[]) => JSON.parse(textOf(...place));

/** Front matter and body of a Markdown file. */
function split(text: string) {
  const [, front, body] = /^---\n([\s\S]*?)\n---\n\n([\s\S]*)$/.exec(text) ?? [];
  return { front: parse(front ?? ""), body: body ?? "" };
}

const pages = readdirSync(plugins, { recursive: true, encoding: "utf8" }).filter((file) => /\.mdc?$/.test(file));

/** Words in code quotes that could be a tool, an argument, a field or a code. */
const quoted = (text: string) => [...text.matchAll(/`([a-z][a-zA-Z_]*)`/g)].map(([, word]) => word as string);
const ANSWER_FIELDS = ["instructions", "outputs", "request", "waitingFor", "waitingUntil", "message", "hint", "code"];
const WORDS = ["navigator", "passed", "failed", "title", "description", "plugins"];
const argumentsOf = (schema: z.ZodType): string[] =>
  Object.keys((z.toJSONSchema(schema, { unrepresentable: "any", io: "input" }).properties ?? {}) as object);

test.each(pages)("%s names only tools, arguments, fields and codes that exist", (page) => {
  const known = new Set([
    ...TOOLS.flatMap(({ name, input }) => [name, ...argumentsOf(input)]),
    ...Object.keys(ERROR_CODES),
    ...ANSWER_FIELDS,
    ...WORDS,
    "_sync_reminder",
  ]);
  expect(quoted(readFileSync(path.join(plugins, page), "utf8")).filter((word) => !known.has(word))).toEqual([]);
});

test("every call that the skill teaches has its arguments", () => {
  const skill = textOf("plugins/claude-code/skills/navigator-tasks/SKILL.md");
  const calls = [
    { tool: "advance_task", args: ["taskId", "result", "output", "version", "claim"] },
    { tool: "claim_next_tasks", args: ["owner"] },
    { tool: "start", args: ["taskId"] },
    { tool: "current", args: ["taskId"] },
    { tool: "get_review", args: ["reviewId"] },
    { tool: "decide_review", args: ["reviewId", "choice"] },
    { tool: "get_tasks_by_status", args: ["status"] },
    { tool: "confirm_sync", args: [] },
  ];
  for (const { tool, args } of calls) {
    expect(skill).toContain(`\`${tool}\``);
    const has = TOOLS.find(({ name }) => name === tool);
    expect(argumentsOf(has?.input as z.ZodType)).toEqual(expect.arrayContaining(args));
  }
});

test("the text for AGENTS.md works with the small set of tools, and is the same for Cursor and in new projects", () => {
  const text = textOf("plugins/agents-md/AGENTS.md");
  const { front, body } = split(textOf("plugins/cursor/rules/navigator.mdc"));
  expect(front).toEqual({ description: expect.stringMatching(/^.{20,300}$/), alwaysApply: false });
  expect(body).toBe(text);
  expect(textOf("templates/project/AGENTS.md")).toContain(text);
  for (const { name } of CORE_TOOLS.filter(({ name: tool }) => /^(get_next|start|current|next)/.test(tool)))
    expect(text).toContain(`\`${name}\``);
});

test("the manifests of the plugin for Claude Code have what it reads, and the version of the package", () => {
  const { name, version, license } = jsonOf("package.json");
  const manifest = jsonOf("plugins/claude-code/.claude-plugin/plugin.json");
  expect(manifest).toMatchObject({ name: "navigator", version, license, description: expect.any(String) });
  const marketplace = jsonOf(".claude-plugin/marketplace.json");
  expect(marketplace).toMatchObject({ name, owner: { name: expect.any(String) } });
  for (const { source } of marketplace.plugins)
    expect(existsSync(path.join(root, source, ".claude-plugin", "plugin.json"))).toBe(true);
  expect(jsonOf("plugins/claude-code/.mcp.json").mcpServers.navigator.args).toEqual(["-y", name, "mcp"]);
});

test("commands and the skill have the front matter that Claude Code reads", () => {
  const commands = readdirSync(path.join(CLAUDE_PLUGIN, "commands"));
  expect(commands.sort()).toEqual(["new.md", "status.md", "work.md"]);
  for (const command of commands) {
    const { front } = split(textOf("plugins/claude-code/commands", command));
    expect(front).toMatchObject({ description: expect.stringMatching(/^.{20,200}$/) });
  }
  const { front, body } = split(textOf("plugins/claude-code/skills/navigator-tasks/SKILL.md"));
  expect(front).toEqual({ name: "navigator-tasks", description: expect.stringMatching(/^.{20,1024}$/) });
  expect(body.split("\n").length).toBeLessThan(150);
});

test("hooks listen to events that exist and to tools that exist", () => {
  const { hooks } = jsonOf("plugins/claude-code/hooks/hooks.json");
  expect(Object.keys(hooks).sort()).toEqual(["PostToolUse", "PreCompact", "SessionEnd", "SessionStart"]);
  const names = /__\(([a-z_|]+)\)\$$/.exec(hooks.PostToolUse[0].matcher)?.[1]?.split("|");
  expect(TOOLS.map(({ name }) => name)).toEqual(expect.arrayContaining(names ?? ["no matcher"]));
});
