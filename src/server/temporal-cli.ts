import { execFile } from "node:child_process";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { NavigatorError } from "../core/base/navigator-error";
import { cutText } from "../core/base/whole-characters";
import { afterOthers } from "../node/file-lock";
import { downloadCli } from "./download";
import { goInstallCli } from "./go-install";
import { type CliPlaces, whichExecutable } from "./install";

/** The CLI that is downloaded: a newer release. Its digests are in download.ts; what of it was tested: engine reference, section 9. */
export const DOWNLOADED_CLI = "1.9.1";

/** The newest CLI that `go install` can build: later ones have a `replace` in their go.mod. */
export const BUILT_CLI = "1.5.1";

/** Older servers have no fair queues. */
const MIN_SERVER = [1, 29] as const;

export type CliSource = "path" | "cache" | "download" | "go";

interface TemporalCli {
  executable: string;
  source: CliSource;
  /** The output of `temporal --version`, like `1.5.1 (Server 1.29.1, UI 2.42.1)`. */
  version: string;
}

/** A CLI on this machine: on PATH, else in the cache. Reports why a found one cannot be used. */
export async function findCli({ cache, env, progress }: CliPlaces): Promise<TemporalCli | null> {
  const onPath = whichExecutable("temporal", env);
  const candidates: [CliSource, string][] = [DOWNLOADED_CLI, BUILT_CLI].map((version) => [
    "cache",
    cachedCli(cache, version),
  ]);
  if (onPath) candidates.unshift(["path", onPath]);
  for (const [source, executable] of candidates) {
    if (!existsSync(executable)) continue;
    const checked = await checkCli(executable);
    if ("version" in checked) return { executable, source, version: checked.version };
    progress(`The Temporal CLI at ${executable} cannot be used: ${checked.problem}. Looking further.`);
  }
  return null;
}

/**
 * A CLI by any means: found, else downloaded, else built with Go into the cache.
 *
 * @throws NavigatorError local_server_failed that names each attempt and its result.
 */
export async function ensureCli(places: CliPlaces): Promise<TemporalCli> {
  const found = await findCli(places);
  if (found) return found;
  const { cache, progress } = places;
  const waiting = { doing: "is installing the Temporal CLI", onWait: progress };
  const install = async () => (await findCli(places)) ?? installCli(places);
  return afterOthers(path.join(cache, "install.lock"), waiting, install);
}

async function installCli(places: CliPlaces): Promise<TemporalCli> {
  const { cache, progress } = places;
  const tried = [`PATH and ${path.dirname(cachedCli(cache, DOWNLOADED_CLI))}: not found`];
  for (const [source, install, version] of [
    ["download", downloadCli, DOWNLOADED_CLI],
    ["go", goInstallCli, BUILT_CLI],
  ] as const) {
    const target = cachedCli(cache, version);
    const work = path.join(cache, `installing-${process.pid}`);
    mkdirSync(work, { recursive: true, mode: 0o700 });
    mkdirSync(path.dirname(target), { recursive: true, mode: 0o700 });
    try {
      await install({ ...places, version, folder: work, target, check: checkCli });
      const checked = await checkCli(target);
      if ("version" in checked) {
        progress(`Temporal CLI ${checked.version} is installed at ${target}.`);
        return { executable: target, source, version: checked.version };
      }
      tried.push(`${source}: ${checked.problem}`);
    } catch (error) {
      const problem = (error as Error).message;
      progress(problem);
      tried.push(problem);
    } finally {
      rmSync(work, { recursive: true, force: true });
    }
  }
  throw new NavigatorError(
    "local_server_failed",
    "No Temporal server is running, and there is no Temporal CLI to start one with.",
    {
      hint: [
        "With a network: run the command again, or install the CLI from https://docs.temporal.io/cli and add it to PATH.",
        `Without: copy a "temporal" program (any version with server ${MIN_SERVER.join(".")} or newer) to ${cachedCli(cache, DOWNLOADED_CLI)}.`,
        "Or set TEMPORAL_ADDRESS to a Temporal server that runs elsewhere.",
      ].join("\n"),
      details: { path: "temporal", kind: "cli", tried },
    },
  );
}

const cachedCli = (cache: string, version: string) =>
  path.join(cache, "bin", `temporal-${version}${process.platform === "win32" ? ".exe" : ""}`);

/** Runs `--version`: the proof that the file is a whole program for this machine, and new enough. */
export async function checkCli(executable: string): Promise<{ version: string } | { problem: string }> {
  try {
    const { stdout } = await promisify(execFile)(executable, ["--version"], { timeout: 15_000 });
    const version = stdout.trim().replace(/^temporal version /, "");
    const server = /Server (\d+)\.(\d+)/.exec(version);
    if (!server) return { problem: `it does not look like the Temporal CLI (it prints "${cutText(version, 80)}")` };
    const [major, minor] = [Number(server[1]), Number(server[2])];
    if (major < MIN_SERVER[0] || (major === MIN_SERVER[0] && minor < MIN_SERVER[1]))
      return { problem: `its server is ${major}.${minor}, and ${MIN_SERVER.join(".")} or newer is needed` };
    return { version };
  } catch (error) {
    return { problem: `"${executable} --version" failed (${(error as Error).message.split("\n")[0]})` };
  }
}
