import type { NavigatorActivities } from "../core/calls/activities";

type Name = keyof NavigatorActivities;
type Call = (...args: unknown[]) => Promise<unknown>;

const NAMES: Readonly<Record<Name, true>> = {
  runCalls: true,
  readKeptCalls: true,
  callTool: true,
  lookUpEffect: true,
  undoEffect: true,
  claimEffect: true,
  describeTools: true,
  priceModels: true,
  signLedgerHead: true,
  verifyDecisions: true,
  planDeliveries: true,
  deliver: true,
  findDefinition: true,
  findAgentEnd: true,
  planUndo: true,
  findUndoSteps: true,
  findEffects: true,
};

/** The names of all activities. */
export const ACTIVITY_NAMES: readonly string[] = Object.keys(NAMES);

/** Activities by name, whose code may come later than the worker that is made with them. */
export interface LateActivities {
  readonly activities: NavigatorActivities;
  /** Loads the code of all of them. The first call of one does so too. */
  load(): Promise<void>;
}

/** @param make loads the code of the activities and makes them; it is called once, and again when it has failed */
export function lateActivities(make: () => Promise<NavigatorActivities>): LateActivities {
  let made: Promise<NavigatorActivities> | undefined;
  const all = (): Promise<NavigatorActivities> => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
  const late =
    (name: Name): Call =>
    async (...args) => {
      const activities = await all();
      return (activities[name] as Call)(...args);
    };
  const activities = Object.fromEntries(ACTIVITY_NAMES.map((name) => [name, late(name as Name)]));
  return {
    activities: activities as unknown as NavigatorActivities,
    load: async () => void (await all()),
  };
}
