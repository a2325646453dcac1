import type { NavigatorClient } from "../../src/client/client";
import { parseAgent } from "../../src/core/agent/definition/parse-agent";

/** What the long runs share: what is told about them, and what must hold. */

const LIMITS = { events: 10_000, bytes: 10 * 1024 * 1024 };

/** What did not hold. */
let failures = 0;
export const allHold = (): boolean => failures === 0;

export function check(holds: boolean, what: string): void {
  if (holds) return;
  failures += 1;
  process.stdout.write(`NOT TRUE: ${what}\n`);
}

export function tell(title: string, facts: { [name: string]: string | number }): void {
  const lines = Object.entries(facts).map(([name, value]) => `  ${name.padEnd(36)}${value}`);
  process.stdout.write(`${title}\n${lines.join("\n")}\n\n`);
}

export const progress = (line: string) => void process.stderr.write(`${line}\n`);

/** The length of the runs of a workflow that continued as new; each must be within the limits. */
export async function runsOf(client: NavigatorClient, id: string): Promise<{ [name: string]: string | number }> {
  const events: number[] = [];
  const bytes: number[] = [];
  const list = client.temporal.workflow.list({ query: `WorkflowId = "${id}"` });
  for await (const run of list) {
    const described = await client.temporal.workflow.getHandle(id, run.runId).describe();
    events.push(described.historyLength);
    bytes.push(described.historySize ?? 0);
  }
  check(Math.max(...events) < LIMITS.events, `no run has ${LIMITS.events} events`);
  check(Math.max(...bytes) < LIMITS.bytes, `no run has ${LIMITS.bytes} bytes`);
  return {
    runs: events.length,
    "events of the longest run": Math.max(...events),
    "bytes of the largest run": Math.max(...bytes),
  };
}

/** An agent that must be sound. */
export function agentOf(name: string, more: object) {
  const parsed = parseAgent({ name, prompt: "Go.", ...more });
  if (!parsed.ok) throw new Error(parsed.fail.message);
  return parsed.value;
}
