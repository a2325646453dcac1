// The Temporal server and its SQL tool in the cache, for the test with a cluster on PostgreSQL. They are built with the very packages
// that the Temporal CLI is built of, so that after `go install` of the CLI they take seconds instead of minutes:
// `node -r ./scripts/register-ts.cjs scripts/temporal-server.ts`, after scripts/temporal-cli.ts.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { loadConfig } from "../src/node/settings";
import { whichExecutable } from "../src/server/install";
import { BUILT_CLI } from "../src/server/temporal-cli";

const say = (text: string) => void process.stderr.write(`${text}\n`);

/** Both programs and their configuration are in it, or it is not there. */
const target = path.join(loadConfig().cache, `temporal-server-of-cli-${BUILT_CLI}`);

function build(): void {
  const go = whichExecutable("go", process.env);
  if (go === null) throw new Error("there is no `go` on PATH");
  mkdirSync(path.dirname(target), { recursive: true, mode: 0o700 });
  const work = mkdtempSync(`${target}-`);
  try {
    // -mod=mod: the sums of packages that only the server has are added.
    const env = { ...process.env, GOFLAGS: `${process.env.GOFLAGS ?? ""} -mod=mod` };
    const run = (...args: string[]) => execFileSync(go, args, { cwd: work, env, stdio: ["ignore", "pipe", "pipe"] });
    writeFileSync(path.join(work, "go.mod"), "module navigator.example/temporal-server\n");
    run("get", `github.com/temporalio/cli@v${BUILT_CLI}`);
    const programs = ["server", "tools/sql"].map((name) => `go.temporal.io/server/cmd/${name}`);
    mkdirSync(path.join(work, "bin"));
    // The configuration of the container image, which reads the same variables.
    const module = String(run("list", "-m", "-f", "{{.Dir}}", "go.temporal.io/server")).trim();
    mkdirSync(path.join(work, "bin", "config"));
    writeFileSync(
      path.join(work, "bin", "config", "docker.yaml"),
      readFileSync(path.join(module, "config", "docker.yaml")),
    );
    run("build", "-ldflags", "-s -w", "-o", "bin/", ...programs);
    // Two at once: the second finds what the first has put there.
    if (!existsSync(target)) renameSync(path.join(work, "bin"), target);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

if (!existsSync(target)) {
  const started = Date.now();
  say("Building the Temporal server and its SQL tool with Go ...");
  try {
    build();
    say(`Built in ${Math.round((Date.now() - started) / 1_000)} s.`);
  } catch (error) {
    const { message, stderr } = error as Error & { stderr?: Buffer };
    say(`error The test with PostgreSQL needs the Temporal server, which cannot be built: ${message.split("\n")[0]}`);
    say(`  -> ${stderr?.toString().trimEnd().split("\n").slice(-3).join("\n") ?? "Install Go."}`);
    process.exitCode = 3;
  }
}
