import { SEARCH_ATTRIBUTES, TYPE_WORDS } from "../core/base/search-attributes";

/**
 * Dynamic configuration of every server we start; docker/dynamicconfig.yaml sets the same for the cluster.
 * With the defaults one sequential activity takes 50 ms instead of 9 and `sleep(1)` takes a second: queues are polled
 * 20 times a second for each shard, and timers may fire a second late.
 */
export const DYNAMIC_CONFIG: Readonly<Record<string, number | boolean | string>> = {
  "history.transferProcessorMaxPollRPS": 2000,
  "history.timerProcessorMaxPollRPS": 2000,
  "history.visibilityProcessorMaxPollRPS": 200,
  "history.timerProcessorMaxTimeShift": "5ms",
  // A page of Mission Control counts and lists ten times at once. Beyond the limit a client waits one to two seconds.
  "frontend.namespaceRPS.visibility": 1000,
  // A worker that ends a workflow task gets the next activity in the same answer: 8.4 instead of 10.7 ms a step.
  "system.enableActivityEagerExecution": true,
  // Signals that arrive during a workflow task. With the default, 100, the server gives the task up and tries it again with
  // all of them, so a run in a flood of signals comes to an end only when the flood does.
  "history.maximumBufferedEventsBatch": 10_000,
  // Queues give the most important work first, and each fairness key its turn (docs/operations.md, "Fair queues").
  "matching.useNewMatcher": true,
  "matching.enableFairness": true,
};

interface DevServerPlace {
  port: number;
  /** The SQLite file; made when missing, its folder must exist. */
  database: string;
  namespace: string;
}

/** Arguments of `temporal` for the embedded server. Its Web UI gets port + 1000. */
export function devServerArguments({ port, database, namespace }: DevServerPlace): string[] {
  return [
    ...["server", "start-dev", "--ip", "127.0.0.1", "--port", String(port), "--ui-port", String(port + 1000)],
    ...["--db-filename", database, "--namespace", namespace, "--log-level", "warn"],
    // The default rollback journal waits for the disk at every write: four times slower.
    ...["--sqlite-pragma", "journal_mode=wal", "--sqlite-pragma", "synchronous=1"],
    ...Object.entries(DYNAMIC_CONFIG).flatMap(([key, value]) => [
      "--dynamic-config-value",
      `${key}=${JSON.stringify(value)}`,
    ]),
    ...Object.entries(SEARCH_ATTRIBUTES).flatMap(([name, type]) => [
      "--search-attribute",
      `${name}=${TYPE_WORDS[type]}`,
    ]),
  ];
}
