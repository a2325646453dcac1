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
  /** Takes minutes even with few rounds: `--quick` leaves it out, unless it is asked for by name. */
  slow?: true;
  run(context: Context): Promise<Row[]>;
}

/** Of all rows that load tasks: there is one tree, and its workflow needs a worker as long as there is one of these rows. */
export const TASKS_QUEUE = "bench-tasks";
