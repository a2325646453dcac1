import type { BenchMission } from "../missions";
import type { Row } from "../report";
import type { Setting } from "../setting";

export interface Context {
  setting: Setting;
  quick: boolean;
  /** One line for a person who waits. */
  progress(line: string): void;
}

/** One comparison, or a few that share their runs. */
export interface Comparison {
  name: string;
  /** What `--help` says about it. */
  about: string;
  missions: BenchMission[];
  run(context: Context): Promise<Row[]>;
}
