import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { besideSources } from "../../peers";

/**
 * The Python with the suite, in the cache folder; it is made once, and works without a network from then on. The folder's name has the
 * digest of requirements.txt, so another version is another folder.
 *
 * @throws Error with what to do
 */
export function installedPython(progress: (line: string) => void): { python: string; bridge: string; home: string } {
  const folder = besideSources("bfcl");
  if (folder === undefined) throw new Error("bench/peers/bfcl is missing: run the benchmark in a clone.");
  const requirements = path.join(folder, "requirements.txt");
  const digest = createHash("sha256").update(readFileSync(requirements)).digest("hex").slice(0, 12);
  const cache = path.join(process.env.NAVIGATOR_CACHE ?? path.join(homedir(), ".cache", "navigator"), "bench-turns");
  const home = path.join(cache, `bfcl-${digest}`);
  const python = path.join(home, "venv", "bin", "python");
  if (!existsSync(python)) {
    progress("Installing bfcl-eval into the cache folder ...");
    mkdirSync(cache, { recursive: true });
    const work = mkdtempSync(`${home}-`);
    try {
      const venv = path.join(work, "venv");
      run("python3", ["-m", "venv", venv]);
      // Its metadata asks for all that its model handlers need: requirements.txt names what is needed here.
      const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--require-hashes"];
      run(path.join(venv, "bin", "python"), [...pip, "--only-binary", ":all:", "-r", requirements]);
      // Two at once: the second finds what the first has put there.
      if (!existsSync(python)) renameSync(work, home);
    } finally {
      rmSync(work, { recursive: true, force: true });
    }
  }
  return { python, bridge: path.join(folder, "bridge.py"), home };
}

function run(command: string, args: string[]): void {
  const { status, error, stderr } = spawnSync(command, args, { encoding: "utf8", stdio: ["ignore", "ignore", "pipe"] });
  if (status === 0) return;
  const said = error?.message ?? stderr.trimEnd().split("\n").slice(-4).join("\n");
  throw new Error(
    `${command} ${args.slice(0, 3).join(" ")} failed: ${said}\nThe suite needs Python 3.10 with venv, and once a network.`,
  );
}
