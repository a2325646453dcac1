import type { CliPlaces } from "./temporal-cli";

/** What a way of installing the CLI gets. It puts a checked program at `target` in one rename, or throws why not. */
export interface CliInstall extends CliPlaces {
  /** As in `1.5.1`. */
  version: string;
  /** Scratch folder on the same disk as `target`; removed afterwards. */
  folder: string;
  target: string;
  check(executable: string): Promise<{ version: string } | { problem: string }>;
}
