import { isObject } from "../base/is-object";
import type { Json, JsonObject } from "../base/json";
import { effectKey, guardOfKey, sharedKey } from "./effect-key";
import type { EffectState, LedgerEntry } from "./entry";

/**
 * The ledger in a short form, for inputs and results: ten thousand effects take less than 1 MB. Names are written once;
 * an effect is a row of numbers, its id, and what is not usual about it.
 */
export interface PackedLedger {
  mission: string;
  /** Tools with their identity arguments (null = all) in the same places, and scopes; each is written once. */
  tools: string[];
  identities: (string[] | null)[];
  lanes: string[];
  rows: PackedEffect[];
  /** Of a run that has a journal: the calls of its recorded tasks, for another attempt with the same journal. */
  tasks?: TaskCalls[];
}

/** The calls of a recorded task, as its journal packs them. */
export type TaskCalls = [task: string, calls: Json];

type PackedEffect = [
  id: string,
  tool: number,
  scope: number,
  n: number,
  /** The state, and whether it is irreversible, settled and so on, as one number. */
  marks: number,
  at: number,
  turn: number,
  call: number,
  task?: string | 0,
  more?: PackedMore,
];

interface PackedMore {
  args?: JsonObject;
  answer?: Json;
  message?: string;
  by?: string;
  resembles?: string;
  /** The number in the key of an effect that all missions share. */
  shared?: number;
  held_by?: string;
  reused?: number;
  taken_from?: string;
  asked?: string;
  tasks?: string[];
  firm?: string;
  reworded?: string[];
  undo_cost?: number;
  task_queue?: string;
}

const STATES: readonly EffectState[] = ["intended", "done", "failed", "refused", "unknown", "undone"];
const IRREVERSIBLE = 8;
const SETTLED = 16;
const PENDING = 32;
const WITHHELD = 128;
const CONTESTED = 256;
const COMPARED = 512;
const UNDO = 64;

/** Characters of all arguments and answers in a packed ledger. */
const MAX_VALUES_CHARS = 256 * 1024;
/** Characters of a packed ledger that values may fill up. The rows themselves are never left out. */
const MAX_CHARS = 960_000;

/**
 * The short form of these entries. Arguments and answers are left out when all of them are too long: first those of
 * settled effects, and of these the oldest.
 */
export function packLedger(mission: string, entries: readonly LedgerEntry[]): PackedLedger {
  const tools = new Names();
  const scopes = new Names();
  const rows = entries.map((entry): PackedEffect => {
    const { id, tool, lane: scope, n, at, turn, call, task, identity } = entry;
    const more: PackedMore = {};
    for (const name of MORE) if (entry[name] !== undefined) more[name] = entry[name] as never;
    const shared = entry.deed === undefined ? undefined : guardOfKey(entry.key);
    if (shared !== undefined) more.shared = shared.n;
    const row: PackedEffect = [
      id,
      tools.numberOf(JSON.stringify([tool, identity ?? null])),
      scopes.numberOf(scope),
      n,
      marksOf(entry),
      at,
      turn,
      call,
    ];
    const hasMore = Object.keys(more).length > 0;
    if (task !== undefined || hasMore) row.push(task ?? 0);
    if (hasMore) row.push(more);
    return row;
  });
  addValues(rows, entries);
  const named = tools.all.map((one) => JSON.parse(one) as [string, string[] | null]);
  return {
    mission,
    tools: named.map(([name]) => name),
    identities: named.map(([, identity]) => identity),
    lanes: scopes.all,
    rows,
  };
}

const MORE = [
  "message",
  "by",
  "resembles",
  "held_by",
  "reused",
  "taken_from",
  "asked",
  "tasks",
  "firm",
  "reworded",
  "undo_cost",
  "task_queue",
] as const;

/** The entries of a short form. A plan of n tasks reads n ledgers of up to n rows, so a row is built in place. */
export function unpackLedger({ mission, tools, lanes: scopes, identities, rows }: PackedLedger): LedgerEntry[] {
  return rows.map(([id, tool, scopeNumber, n, marks, at, turn, call, task, more]) => {
    const scope = scopes[scopeNumber] as string;
    const own = effectKey({ mission, id, lane: scope, n });
    const shared = more?.shared;
    const of = {
      id,
      tool: tools[tool] as string,
      effect: marks & IRREVERSIBLE ? ("irreversible" as const) : ("write" as const),
      state: STATES[marks & 7] as EffectState,
      lane: scope,
      n,
      at,
      turn,
      call,
    };
    const entry = (
      shared === undefined ? { key: own, ...of } : { key: sharedKey(mission, id, shared), deed: own, ...of }
    ) as LedgerEntry;
    if (task) entry.task = task;
    const identity = identities[tool];
    if (identity) entry.identity = identity;
    if (more !== undefined) {
      const { shared: _, ...rest } = more;
      Object.assign(entry, rest);
    }
    entry.settled = (marks & SETTLED) !== 0;
    if (marks & PENDING) entry.pending = true;
    if (marks & WITHHELD) entry.withheld = true;
    if (marks & CONTESTED) entry.contested = true;
    if (marks & COMPARED) entry.compared = true;
    if (marks & UNDO) entry.undo = true;
    return entry;
  });
}

function marksOf(entry: LedgerEntry): number {
  const { state, effect, settled, pending, undo, withheld, contested, compared } = entry;
  const marks: [unknown, number][] = [
    [effect === "irreversible", IRREVERSIBLE],
    [settled, SETTLED],
    [pending, PENDING],
    [undo, UNDO],
    [withheld, WITHHELD],
    [contested, CONTESTED],
    [compared, COMPARED],
  ];
  return marks.reduce((sum, [is, mark]) => sum + (is ? mark : 0), STATES.indexOf(state));
}

/** Adds arguments and answers to the rows while the size limit allows it: of open effects first, then of the newest. */
function addValues(rows: PackedEffect[], entries: readonly LedgerEntry[]): void {
  let left = Math.min(MAX_VALUES_CHARS, MAX_CHARS - JSON.stringify(rows).length);
  const add = (settled: boolean) => {
    for (let i = entries.length - 1; i >= 0 && left > 0; i--) {
      const { args, answer, ...entry } = entries[i] as LedgerEntry;
      if (entry.settled !== settled || (args === undefined && answer === undefined)) continue;
      const values = { ...(args === undefined ? {} : { args }), ...(answer === undefined ? {} : { answer }) };
      left -= JSON.stringify(values).length;
      if (left < 0) return;
      const row = rows[i] as PackedEffect;
      row[8] ??= 0;
      row[9] = { ...row[9], ...values };
    }
  };
  add(false);
  add(true);
}

/** So many characters of the calls of tasks are passed on; later tasks get their records without a comparison. */
const MAX_TASKS_CHARS = 200_000;

/** The ledger with the calls of recorded tasks. */
export function withTasks(ledger: PackedLedger, tasks: readonly TaskCalls[]): PackedLedger {
  let left = MAX_TASKS_CHARS;
  const kept = tasks.filter((one) => {
    left -= JSON.stringify(one).length;
    return left >= 0;
  });
  return kept.length === 0 ? ledger : { ...ledger, tasks: kept };
}

/** Whether a value from outside can be unpacked. */
export const isPackedLedger = (value: unknown): value is PackedLedger =>
  isObject(value) &&
  typeof value.mission === "string" &&
  [value.tools, value.lanes, value.identities].every(Array.isArray) &&
  Array.isArray(value.rows) &&
  (value.tasks === undefined || Array.isArray(value.tasks)) &&
  (value.rows as unknown[]).every((row) => Array.isArray(row) && typeof row[0] === "string" && row.length >= 8);

/** Names in the order of their first use. */
class Names {
  readonly all: string[] = [];
  private readonly numbers = new Map<string, number>();

  numberOf(name: string): number {
    const known = this.numbers.get(name);
    if (known !== undefined) return known;
    this.numbers.set(name, this.all.length);
    return this.all.push(name) - 1;
  }
}
