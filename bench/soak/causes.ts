import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { CauseWindow } from "./alert-windows";
import type { Missions } from "./missions";
import type { Person } from "./person";
import type { Site } from "./site";

/** What may go wrong in a soak: each is made once on purpose, so that its alert fires, and then mended. */
export interface Cause {
  /** In a sentence: "X did not fire when ...". */
  name: string;
  expects: string[];
  /** What the same cause may bring about, too. */
  allows?: string[];
  make(scene: Scene): Promise<void>;
  /** After it the alerts are silent again. */
  mend(scene: Scene): Promise<void>;
}

export interface Scene {
  site: Site;
  missions: Missions;
  person: Person;
}

/** Longer than any rule needs: pollers count for 90 s. */
const FIRES_MS = 200_000;
const SILENT_MS = 240_000;

/** Makes a cause, waits until its alerts fire, mends it, and waits until all is silent. */
export async function makeCause(cause: Cause, scene: Scene, say: (line: string) => void): Promise<CauseWindow> {
  const { name, expects, allows = [], make, mend } = cause;
  const { prometheus } = scene.site;
  const from = Date.now();
  say(`${name} ...`);
  await make(scene);
  const fired = () =>
    expects.every((alert) => prometheus.episodes.some((one) => one.alert === alert && one.from >= from));
  await prometheus.until(fired, FIRES_MS);
  const firedAt = Date.now();
  await mend(scene);
  await prometheus.until(() => prometheus.firing().length === 0, SILENT_MS);
  // An alert that is pending fires within this time.
  await sleep(6_000);
  await prometheus.until(() => prometheus.firing().length === 0, SILENT_MS);
  const seconds = (ms: number) => Math.round(ms / 1_000);
  say(
    `  fired after ${seconds(firedAt - from)} s, silent ${seconds(Date.now() - firedAt)} s after it was mended: ${[...expects, ...allows.filter((alert) => prometheus.episodes.some((one) => one.alert === alert && one.from >= from))].join(", ")}`,
  );
  return { cause: name, expects, allows, from, to: Date.now() };
}

/** Without workers or the server everything waits. */
const ALL_WAITS = [
  "NavigatorBacklogGrows",
  "NavigatorPeopleWaitTooLong",
  "NavigatorWorkerDown",
  "NavigatorWorkerCutOff",
];

export const CAUSES: readonly Cause[] = [
  {
    name: "a worker is killed",
    expects: ["NavigatorWorkerDown"],
    make: ({ site }) => site.killWorker("b"),
    mend: async ({ site }) => void (await site.startWorker("b")),
  },
  {
    name: "Mission Control is killed",
    expects: ["NavigatorMissionControlDown"],
    allows: ["NavigatorNoWorker"],
    make: ({ site }) => site.killWeb(),
    mend: ({ site }) => site.startWeb(),
  },
  {
    name: "the Temporal server is away",
    expects: ["NavigatorServerUnreachable", "NavigatorWorkerCutOff"],
    allows: ["NavigatorNoWorker", "NavigatorMissionControlDown", ...ALL_WAITS],
    make: ({ site }) => site.stopServer(),
    mend: ({ site }) => site.startServer(),
  },
  {
    name: "the person is away",
    expects: ["NavigatorPeopleWaitTooLong"],
    make: async ({ person }) => {
      person.isAway = true;
    },
    mend: async ({ person }) => {
      person.isAway = false;
    },
  },
  {
    name: "a mission needs a tool that no worker has, until a new version is deployed",
    expects: ["NavigatorMissionsBlocked", "NavigatorConfigurationErrors"],
    // What is blocked waits in the inbox as well.
    allows: ["NavigatorPeopleWaitTooLong"],
    make: async ({ missions }) => void missions.start("late"),
    // The new worker starts before the old one is drained.
    mend: async ({ site }) => {
      site.version = "v2";
      await site.startWorker("c", { version: "v2" });
      await site.drainWorker("b");
      await site.startWorker("b", { version: "v2" });
      await site.drainWorker("c");
      site.deploys += 2;
    },
  },
  {
    name: "runs fail",
    expects: ["NavigatorRunsFail"],
    make: async ({ missions }) => {
      for (let times = 0; times < 12; times++) {
        missions.start("fails");
        await sleep(1_000);
      }
    },
    mend: async () => {},
  },
  {
    name: "the receiver of messages refuses them",
    expects: ["NavigatorMessagesNotDelivered"],
    make: async ({ site }) => {
      site.outside.refusesMessages = true;
    },
    mend: async ({ site }) => {
      site.outside.refusesMessages = false;
    },
  },
  {
    name: "models cost much",
    expects: ["NavigatorSpendSpike"],
    make: async ({ missions }) => {
      for (let times = 0; times < 3; times++) await missions.start("dear");
    },
    mend: async () => {},
  },
  {
    name: "tools hang",
    expects: ["NavigatorWorkerSlotsUsedUp"],
    allows: ALL_WAITS,
    make: async ({ site, missions }) => {
      site.outside.hold();
      for (let times = 0; times < 5; times++) missions.start("holds");
    },
    mend: async ({ site }) => site.outside.letGo(),
  },
  {
    name: "a worker dies in the middle of an irreversible call",
    expects: ["NavigatorEffectsUnknown"],
    allows: ["NavigatorWorkerDown"],
    make: async ({ site, missions, person }) => {
      person.ignoresUnknown = true;
      site.outside.hold();
      await site.startWorker("extra", { queue: "soak-extra" });
      missions.start("ships");
      const n = missions.all.length;
      const isCharged = () => [...site.outside.charges.values()].includes(`${n}/1`);
      await site.prometheus.until(isCharged, 60_000);
      await site.killWorker("extra");
      site.outside.letGo();
      await site.startWorker("extra", { queue: "soak-extra" });
    },
    mend: async ({ site, person }) => {
      person.ignoresUnknown = false;
      await site.drainWorker("extra");
    },
  },
  {
    name: "a worker takes too much memory",
    expects: ["NavigatorWorkerMemory"],
    make: async ({ site }) => void (await site.startWorker("hog", { queue: "soak-extra", env: { SOAK_HOG: "1" } })),
    mend: ({ site }) => site.drainWorker("hog"),
  },
  {
    name: "a worker lacks an encryption key",
    expects: ["NavigatorKeyMissing"],
    allows: ["NavigatorWorkflowTasksFail", "NavigatorMissionsBlocked", "NavigatorConfigurationErrors"],
    make: async ({ site }) => {
      const env = withKeys(site);
      await site.command(["keys", "create", "--config", "v1"], env);
      await site.command(
        ["run", "secret", "--config", "v1", "--context", '{"n":1}', "--id", "secret", "--detach"],
        env,
      );
      await site.startWorker("keyless", { queue: KEY_QUEUE, env: VAULT });
    },
    mend: async ({ site }) => {
      await site.drainWorker("keyless");
      const env = withKeys(site);
      await site.startWorker("keyed", { queue: KEY_QUEUE, env });
      const again = ["run", "secret", "--config", "v1", "--id", "secret", "--context", '{"n":1}', "--json"];
      const { step } = JSON.parse(await site.command(again, env)) as { step: { return: { n: number } | null } };
      const got = step.return;
      if (got?.n !== 1) throw new Error(`The encrypted mission ended with ${JSON.stringify(got)}.`);
      await site.drainWorker("keyed");
    },
  },
  {
    name: "the code of a running workflow is changed",
    expects: ["NavigatorWorkflowTasksFail"],
    make: async ({ site }) => {
      await startCode(site, "first");
      const { temporal } = site.client;
      const run = await temporal.workflow.start("waits", { taskQueue: CODE_QUEUE, workflowId: CODE_QUEUE });
      // A query is answered when its first task is done.
      await run.query("__stack_trace");
      await site.drainWorker("code");
      await startCode(site, "second");
      await run.signal("end");
    },
    mend: async ({ site }) => {
      await site.drainWorker("code");
      await startCode(site, "first");
      await site.client.temporal.workflow.getHandle(CODE_QUEUE).result();
      await site.drainWorker("code");
    },
  },
  {
    name: "no worker is there",
    expects: ["NavigatorNoWorker", "NavigatorBacklogGrows"],
    allows: ALL_WAITS,
    make: async ({ site }) => {
      await site.drainWorker("a");
      await site.killWorker("b");
    },
    mend: async ({ site }) => {
      await site.startWorker("a", { version: "v2" });
      await site.startWorker("b", { version: "v2" });
    },
  },
];

const KEY_QUEUE = "soak-keys";
/** A project of its own: all else of the soak is in the clear. */
const VAULT = { NAVIGATOR_PROJECT: "vault" };
const withKeys = ({ folder }: Site): NodeJS.ProcessEnv => ({
  ...VAULT,
  NAVIGATOR_IDENTITY: path.join(folder, "keyed-identity"),
  NAVIGATOR_TASK_QUEUE: KEY_QUEUE,
});

const CODE_QUEUE = "soak-code";
const startCode = (site: Site, version: "first" | "second") =>
  site.startProgram("code", "code_ready", (metrics) => [
    path.join(__dirname, "changed-code.js"),
    site.address,
    metrics,
    version,
  ]);
