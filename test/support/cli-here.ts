import { run } from "../../src/cli/main";
import type { CliEnd } from "./environment";

/**
 * Runs a command line in this process: no time is spent on starting another. Only for commands without a worker of their
 * own. The settings must be in the environment of this process.
 */
export async function cliHere(args: string[]): Promise<CliEnd> {
  let [stdout, stderr] = ["", ""];
  const streams = {
    stdout: { write: (text: string) => (stdout += text) },
    stderr: { write: (text: string) => (stderr += text) },
  };
  const before = process.exitCode;
  process.exitCode = undefined;
  try {
    return { code: await run(args, streams, process.env), stdout, stderr };
  } finally {
    process.exitCode = before;
  }
}

/** Sets variables of the environment, and gives what takes them back. */
export function setEnv(variables: { [name: string]: string }): () => void {
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, variables);
  return () => {
    for (const [name, value] of before)
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
  };
}
