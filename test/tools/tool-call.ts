import type { ToolContext } from "../../src/tools";

/** What a tool is told in tests, unless the test says otherwise. */
export function toolCall(told: Partial<ToolContext> = {}): ToolContext {
  return {
    idempotencyKey: "agent/a/charge",
    signal: new AbortController().signal,
    heartbeat: () => {},
    attempt: 1,
    task: "charge",
    agent: "a",
    token: "",
    turn: 1,
    ...told,
  };
}
