import { accessSync, constants } from "node:fs";
import path from "node:path";

export interface CliPlaces {
  cache: string;
  downloadBase: string;
  /** Digests of the archives that may be downloaded, by platform; for tests. Default: those of the pinned release. */
  sums?: Readonly<Record<string, string>>;
  env: NodeJS.ProcessEnv;
  progress: (line: string) => void;
}

/** The input of an installation method. It moves a checked program to `target` with one rename, or throws the reason. */
export interface CliInstall extends CliPlaces {
  /** As in `1.5.1`. */
  version: string;
  /** Scratch folder on the same disk as `target`; removed afterwards. */
  folder: string;
  target: string;
  check(executable: string): Promise<{ version: string } | { problem: string }>;
}

/** The first executable of that name on PATH, or null. */
export function whichExecutable(name: string, env: NodeJS.ProcessEnv): string | null {
  const endings = process.platform === "win32" ? [".exe", ".cmd"] : [""];
  for (const folder of (env.PATH ?? "").split(path.delimiter).filter(Boolean))
    for (const ending of endings) {
      const file = path.join(folder, name + ending);
      try {
        accessSync(file, constants.X_OK);
        return file;
      } catch {
        // not in this folder
      }
    }
  return null;
}
