import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { temporaryFolder } from "../environment";

/** The plugin for Claude Code. */
export const CLAUDE_PLUGIN = path.join(__dirname, "../../../plugins/claude-code");

/** A session's hooks, run as Claude Code runs them: by the event's entry in hooks.json, with JSON on stdin. */
export interface ClaudeHooks {
  /** The plugin's data folder. */
  data: string;
  /** @returns what the hook of this event printed; nothing without a hook that matches */
  run(event: HookEvent): string;
  /** What a hook of SessionStart adds to the context. */
  context(session_id: string, source: string): string | undefined;
  close(): void;
}

interface HookEvent {
  hook_event_name: string;
  session_id: string;
  [field: string]: unknown;
}

interface HookEntry {
  matcher: string;
  hooks: { command: string }[];
}

export function openClaudeHooks(project = "/work/app"): ClaudeHooks {
  const data = temporaryFolder("claude-plugin");
  const env = {
    PATH: process.env.PATH,
    CLAUDE_PLUGIN_ROOT: CLAUDE_PLUGIN,
    CLAUDE_PLUGIN_DATA: data.path,
    CLAUDE_PROJECT_DIR: project,
  };
  const { hooks } = JSON.parse(readFileSync(path.join(CLAUDE_PLUGIN, "hooks", "hooks.json"), "utf8"));
  const run = (event: HookEvent) => {
    const matched = String(event.tool_name ?? event.source ?? event.trigger ?? event.reason);
    const entries = (hooks[event.hook_event_name] ?? []) as HookEntry[];
    const commands = entries.filter(({ matcher }) => new RegExp(matcher).test(matched)).flatMap((entry) => entry.hooks);
    return commands
      .map(({ command }) =>
        execFileSync("sh", ["-c", command], { env, input: JSON.stringify(event), encoding: "utf8" }),
      )
      .join("");
  };
  const context = (session_id: string, source: string) => {
    const said = run({ hook_event_name: "SessionStart", session_id, source });
    return said === "" ? undefined : JSON.parse(said).hookSpecificOutput.additionalContext;
  };
  return { data: data.path, run, context, close: () => data.remove() };
}
