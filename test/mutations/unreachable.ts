/**
 * Places that no recorded run passes, each with the reason. `npm run test:mutations` fails for a place that is listed and
 * reached all the same.
 */
export interface Unreachable {
  /** Name of the file. */
  file: string;
  /** Part of the line; absent = every place of the file. */
  text?: string;
  reason: string;
}

const IN_MEMORY = "Workflows take one turn or phase after another themselves: this loop is for hosts without a server.";
const READERS = "Readers of histories and of exports call it, and no workflow does.";
const TOO_LARGE = "The state that is carried over must be larger than one payload: a history of more than 1 MB.";

export const UNREACHABLE: Unreachable[] = [
  { file: "run-format.ts", text: "patched(flag)", reason: "There is no flag since the baseline was set." },
  {
    file: "blocked-calls.ts",
    text: "if (blocked) await sleep",
    reason: "Between two attempts a worker that has what the call lacks must give way to one that lacks it.",
  },
  { file: "plan-run.ts", text: "jsonBytes(light", reason: TOO_LARGE },
  { file: "compile.ts", text: "Promise<Result<CompiledAgent>>", reason: IN_MEMORY },
  { file: "compile.ts", text: "await runAgent(host", reason: IN_MEMORY },
  { file: "run.ts", text: "export async function stepOf", reason: IN_MEMORY },
  { file: "run.ts", text: "const step = await run.turn()", reason: IN_MEMORY },
  { file: "executor.ts", text: "): Promise<ExecutionResult> {", reason: IN_MEMORY },
  { file: "executor.ts", text: "const result = await execution.advance()", reason: IN_MEMORY },
  { file: "runner.ts", text: "export async function runPlan", reason: IN_MEMORY },
  { file: "runner.ts", text: "const result = await run.value.phase()", reason: IN_MEMORY },
  { file: "check-decisions.ts", reason: READERS },
  { file: "verify-ledger.ts", reason: READERS },
  { file: "read-mission.ts", reason: READERS },
];

/** Why no recorded run passes a place; undefined for one that must be passed. */
export function whyUnreachable({ id, text }: { id: string; text: string }): string | undefined {
  const file = id.split(":")[0]?.split("/").at(-1);
  return UNREACHABLE.find((one) => one.file === file && text.includes(one.text ?? ""))?.reason;
}
