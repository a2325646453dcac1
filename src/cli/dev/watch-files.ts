import { type FSWatcher, readdirSync, statSync, watch } from "node:fs";
import path from "node:path";

/** The parts of the project, as the process with its code lists them. Absolute. */
export interface WatchedSources {
  files: readonly string[];
  /** Any JSON file below these is part of it. */
  folders: readonly string[];
}

const CODE = /\.([cm]?[jt]s|ya?ml)$/;
const NO_CODE = /\.(test|spec)\.[cm]?[jt]s$|\.d\.[cm]?ts$/;
const LEFT_OUT = /^(\..*|node_modules|dist|build|out|coverage|tests?|__tests__)$/;
const ALWAYS = /^(\.env|package\.json|tsconfig\.json|navigator\.config\.\w+)$/;
/** An editor writes a file in several steps, and a checkout writes many files. */
const SETTLE_MS = 150;

/**
 * Reports which files of a project changed: code, YAML, the files that the project was loaded from. Data that its
 * tools write, tests, packages and hidden folders are none of it.
 */
export class FileWatch {
  private readonly watchers = new Map<string, { watcher: FSWatcher; identity: string }>();
  private readonly seen = new Map<string, string>();
  private readonly changed = new Set<string>();
  private timer: NodeJS.Timeout | null = null;
  private sources: WatchedSources = { files: [], folders: [] };

  /**
   * @param onTrouble a folder cannot be watched
   * @param how.onlySources other code in the folder is none of it: somebody may work on it all day
   */
  constructor(
    private readonly root: string,
    private readonly onChange: (files: string[]) => void,
    private readonly onTrouble: (error: Error) => void,
    private readonly how: { onlySources?: boolean } = {},
  ) {
    if (how.onlySources) this.watchFolder(root);
    else this.watchBelow(root);
  }

  /** Files elsewhere are watched, too. */
  setSources(sources: WatchedSources): void {
    this.sources = sources;
    for (const file of sources.files) this.watchFolder(path.dirname(file));
    for (const folder of sources.folders) this.watchBelow(folder);
  }

  close(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    for (const { watcher } of this.watchers.values()) watcher.close();
    this.watchers.clear();
  }

  private watchBelow(folder: string): void {
    if (!this.watchFolder(folder)) return;
    for (const name of foldersIn(folder)) if (!LEFT_OUT.test(name)) this.watchBelow(path.join(folder, name));
  }

  private watchFolder(folder: string): boolean {
    if (this.watchers.has(folder)) return false;
    try {
      const watcher = watch(folder, (_, name) => this.mayHaveChanged(folder, name));
      watcher.on("error", () => this.forget(folder));
      this.watchers.set(folder, { watcher, identity: identityOf(folder) });
    } catch (error) {
      // A folder that is gone by now is none to watch.
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") this.onTrouble(error as Error);
      return false;
    }
    for (const file of filesIn(folder)) this.seen.set(file, stateOf(file));
    return true;
  }

  private forget(folder: string): void {
    for (const [one, { watcher }] of this.watchers) {
      if (one !== folder && !one.startsWith(folder + path.sep)) continue;
      watcher.close();
      this.watchers.delete(one);
    }
  }

  private mayHaveChanged(folder: string, name: string | null): void {
    if (name === null) return;
    const file = path.join(folder, name);
    const there = statSync(file, { throwIfNoEntry: false });
    if (there?.isDirectory()) {
      if (LEFT_OUT.test(name) || this.watchers.get(file)?.identity === identityOf(file)) return;
      if (this.how.onlySources && !this.isInSources(file)) return;
      // A folder that is new, or one that came back in the place of another.
      this.forget(file);
      const before = new Map(this.seen);
      this.watchBelow(file);
      for (const [one, state] of this.seen) if (state !== before.get(one) && this.isPart(one)) this.take(one);
      return;
    }
    if (there === undefined) this.forget(file);
    const now = stateOf(file);
    if (now === this.seen.get(file) || !this.isPart(file)) return;
    this.seen.set(file, now);
    this.take(file);
  }

  private take(file: string): void {
    this.changed.add(file);
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.timer = null;
      const files = [...this.changed].sort();
      this.changed.clear();
      this.onChange(files);
    }, SETTLE_MS);
  }

  /** In a folder that is read as a whole, or such a folder. */
  private isInSources(place: string): boolean {
    return this.sources.folders.some((folder) => place === folder || place.startsWith(folder + path.sep));
  }

  private isPart(file: string): boolean {
    const name = path.basename(file);
    if (this.sources.files.includes(file)) return true;
    if (ALWAYS.test(name)) return path.dirname(file) === this.root;
    if (name.endsWith(".json")) return this.isInSources(file);
    if (this.how.onlySources && !this.isInSources(file)) return false;
    const isInside = file.startsWith(this.root + path.sep);
    return (
      isInside &&
      CODE.test(name) &&
      !NO_CODE.test(name) &&
      !path
        .relative(this.root, path.dirname(file))
        .split(path.sep)
        .some((part) => LEFT_OUT.test(part))
    );
  }
}

const entriesIn = (folder: string) => {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return []; // It may be gone, or be another's.
  }
};
const foldersIn = (folder: string): string[] =>
  entriesIn(folder)
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
const filesIn = (folder: string): string[] =>
  entriesIn(folder)
    .filter((entry) => entry.isFile())
    .map(({ name }) => path.join(folder, name));

/** Differs for a folder that was made anew under the same name. */
function identityOf(folder: string): string {
  const there = statSync(folder, { throwIfNoEntry: false, bigint: true });
  return there === undefined ? "" : `${there.ino} ${there.birthtimeNs}`;
}

/** Differs if a file was written, and is empty if it is not there. */
function stateOf(file: string): string {
  const there = statSync(file, { throwIfNoEntry: false, bigint: true });
  return there === undefined ? "" : `${there.mtimeNs} ${there.size} ${there.ino}`;
}
