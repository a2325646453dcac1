import type { Json, JsonObject } from "../../src/core/base/json";
import { defineAgent } from "../../src/project/authoring/define-agent";
import { type MissionRun, program, type TestMission } from "../../src/testing/mission";
import type { ToolContext } from "../../src/tools";

/** The mission that is killed: records, parallel calls, a turn that fails, an agent below it, a checklist. */
export const agent = defineAgent("Charge the order, ship its parcels, then notify the customer.", {
  name: "order",
  tools: [
    "charge",
    "ship",
    {
      name: "write_letter",
      agent: defineAgent("Write a letter about parcel {{parcel}}.", {
        name: "writer",
        description: "Writes a letter about a parcel.",
        signature: "(parcel :int) -> {letter :string}",
        tools: ["print"],
        max_turns: 3,
      }),
    },
  ],
  plan: [
    ["charge", "Charge the card"],
    ["ship", "Ship the parcels"],
  ],
  max_turns: 8,
});

const ORDER = [
  '(do (def tx (task "charge" (tool/charge {:cents 4990}))) (step-done "charge" (get tx "tx")))',
  '(do (pmap (fn [n] (task (str "ship_" n) (tool/ship {:parcel n}))) [1 2 3]) (inc "a"))',
  '(do (def parcels (pmap (fn [n] (task (str "ship_" n) (tool/ship {:parcel n}))) [1 2 3])) (step-done "ship" "3 parcels"))',
  '(do (def letter (task "letter" (tool/write_letter {:parcel 2}))) letter)',
  '(return {:tx (get tx "tx") :parcels (map (fn [p] (get p "label")) parcels) :letter (get letter "letter")})',
];
const WRITER = ['(task "print" (tool/print {:text "Parcel 2 is under way."}))', '(return {:letter "sent"})'];

const ANSWERS: { [tool: string]: (args: JsonObject) => Json } = {
  charge: ({ cents = null }) => ({ tx: `tx_${cents}` }),
  ship: ({ parcel = null }) => ({ label: `LX-${parcel}` }),
  print: ({ text = null }) => ({ printed: text }),
};

/**
 * The service that the tools of one mission call. It counts: a key that it does not know is another effect, a key that it knows
 * gets its answer again.
 */
export class CountingService {
  /** Every call, also of keys that were known. */
  requests = 0;
  private readonly effects = new Map<string, string>();

  /** @param answering is awaited between an effect and its answer */
  constructor(private readonly answering: () => Promise<void> = async () => {}) {}

  /** Each effect as a text: a second one of the same tool, arguments and task is a repeat. */
  get done(): string[] {
    return [...this.effects.values()].sort();
  }

  /** Does an effect, unless its key is known. */
  act(tool: string, args: JsonObject, { idempotencyKey, task }: Pick<ToolContext, "idempotencyKey" | "task">): void {
    this.requests += 1;
    this.effects.set(idempotencyKey, JSON.stringify([tool, args, task]));
  }

  /** A mission whose tools are this service. */
  mission(): TestMission {
    const tool = (name: string) => async (args: JsonObject, call: ToolContext) => {
      this.act(name, args, call);
      await this.answering();
      return ANSWERS[name]?.(args);
    };
    return {
      script: { order: ORDER.map(program), writer: WRITER.map(program) },
      tools: Object.fromEntries(Object.keys(ANSWERS).map((name) => [name, tool(name)])),
    };
  }
}

/** What must be the same at the end, however the mission got there. */
export interface CrashEnd {
  return: Json;
  fail: Json;
  journal: Json;
  progress: string;
  effects: string[];
}

/** @param service the service that the mission called for its effects */
export const endOf = ({ step, journal, progress }: MissionRun, service: CountingService): CrashEnd => ({
  return: (step.return ?? null) as Json,
  fail: (step.fail ?? null) as unknown as Json,
  // Branches record in the order in which they end.
  journal: journal && Object.fromEntries(Object.entries(journal).sort(([a], [b]) => (a < b ? -1 : 1))),
  progress,
  effects: service.done,
});

/** The first thing in which two ends differ; null when they are the same. */
export function endDifference(expected: CrashEnd, found: CrashEnd): string | null {
  for (const part of Object.keys(expected) as (keyof CrashEnd)[]) {
    const [before, after] = [JSON.stringify(expected[part]), JSON.stringify(found[part])];
    if (before !== after) return `${part} is ${after}, and without a kill ${before}`;
  }
  return null;
}
