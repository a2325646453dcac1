import { spawn } from "node:child_process";
import { renameSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { lastChars } from "../core/base/whole-characters";
import { type CliInstall, whichExecutable } from "./install";

/** Packages that a cold build compiles, for the progress line: measured with CLI 1.5.1 on Linux, other platforms differ a little. */
const COLD_BUILD_PACKAGES = 1_300;
const REPORT_EVERY_MS = 5_000;

/**
 * Builds the CLI from the Go module proxy. Minutes when cold (3 min 16 s on two cores), seconds when Go has it in its cache.
 *
 * @throws Error with the reason: no Go, or the last lines of Go.
 */
export async function goInstallCli({ version, folder, target, check, env, progress }: CliInstall): Promise<void> {
  const go = whichExecutable("go", env);
  if (!go) throw new Error("Go: there is no `go` on PATH to build the Temporal CLI with.");
  const module = `github.com/temporalio/cli/cmd/temporal@v${version}`;
  progress(`Building the Temporal CLI with Go: go install ${module}`);
  progress("  This happens once and takes about 3 minutes on 2 cores when nothing is cached.");
  const output = await runGo(go, module, version, { ...env, GOBIN: folder }, progress);
  if (output !== null) throw new Error(`Go: \`go install ${module}\` failed: ${output}`);
  const program = path.join(folder, process.platform === "win32" ? "temporal.exe" : "temporal");
  const checked = await check(program);
  if ("problem" in checked) throw new Error(`Go: the program it built cannot be used: ${checked.problem}.`);
  renameSync(program, target);
}

/** Runs the build with progress; null on success, else the last lines of Go's output. */
function runGo(
  go: string,
  module: string,
  version: string,
  env: NodeJS.ProcessEnv,
  progress: (line: string) => void,
): Promise<string | null> {
  const started = Date.now();
  const linker = `-s -w -X github.com/temporalio/cli/temporalcli.Version=${version}`;
  // -v prints each package as it is compiled: the only progress that Go gives.
  const child = spawn(go, ["install", "-v", "-ldflags", linker, module], { env, stdio: ["ignore", "ignore", "pipe"] });
  const problems: string[] = [];
  let downloaded = 0;
  let compiled = 0;
  createInterface({ input: child.stderr }).on("line", (line) => {
    if (line.startsWith("go: downloading")) downloaded++;
    else if (/^[\w.-]+(\/\S+)*$/.test(line)) compiled++;
    else problems.push(line);
  });
  const ticker = setInterval(() => {
    const seconds = Math.round((Date.now() - started) / 1000);
    progress(
      `  ${seconds} s: ${downloaded} modules downloaded, ${compiled} of about ${COLD_BUILD_PACKAGES} packages compiled`,
    );
  }, REPORT_EVERY_MS);
  return new Promise((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("close", (code) =>
      resolve(code === 0 ? null : lastChars(problems.slice(-3).join(" "), 600) || `exit code ${code}`),
    );
  }).then((output) => {
    clearInterval(ticker);
    return output as string | null;
  });
}
