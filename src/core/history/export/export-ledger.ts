import { defined } from "../../base/defined";
import type { JsonObject } from "../../base/json";
import type { PeopleFile } from "../../review/people/people-file";
import { missionEffects } from "../trace/mission-effects";
import type { MissionHistories } from "../trace/read-mission";
import { chainInHistory, type FoundChain } from "./chain-in-history";
import {
  type AskedIn,
  type EndLine,
  type ExportedWorkflow,
  type HeaderLine,
  type HeadLine,
  type LinkLine,
  ledgerText,
} from "./format";

/** What stands in an export besides the histories. */
export interface ExportOptions {
  /** Ms since 1970. */
  made_at: number;
  /** The people of the project, so that a stranger can check signatures; null: none are known. */
  people: PeopleFile | null;
  /** Where effects were asked for, by their keys. */
  asked?: ReadonlyMap<string, AskedIn>;
}

/**
 * The ledger of a mission and of all workflows below it as text, from their histories alone (approvals reference, section
 * 6).
 *
 * @throws HistoryFormatError for what is no history
 */
export function exportLedger(mission: MissionHistories, options: ExportOptions): string {
  const chains: ExportedChain[] = [];
  const add = ({ workflow_id: id, runs, children }: MissionHistories, parent: string | null): void => {
    if (chains.some((known) => known.id === id)) return;
    chains.push({ id, parent, runs: runs.length, chain: chainInHistory(id, runs) });
    for (const child of children) add(child, id);
  };
  add(mission, null);
  return chainsText(chains, { ...options, asked: askedIn(mission) });
}

/** Where the effects were asked for, by their keys. */
function askedIn(mission: MissionHistories): Map<string, AskedIn> {
  const { effects, programs } = missionEffects(mission);
  return new Map(
    effects.flatMap(({ key, program }): [string, AskedIn][] => {
      const asking = programs[(program ?? 0) - 1];
      if (asking === undefined) return [];
      return [[key, { invocation: asking.invocation, ...defined({ turn_cost: asking.cost }) }]];
    }),
  );
}

/** The chain of one workflow of the tree. */
export interface ExportedChain extends Pick<ExportedWorkflow, "id" | "parent" | "runs"> {
  chain: FoundChain;
}

/** The export of these chains: that of the mission, then those below it. */
export function chainsText(chains: readonly ExportedChain[], { made_at, people, asked }: ExportOptions): string {
  const links = chains.flatMap(({ id, chain }) => linkLines(id, chain, asked ?? new Map()));
  const heads = chains.flatMap(({ id, chain }) =>
    chain.heads.map((one): Omit<HeadLine, "before"> => ({ line: "head", workflow: id, ...one })),
  );
  const header: HeaderLine = {
    line: "ledger",
    format: 1,
    mission: chains[0]?.id ?? "",
    made_at,
    people: people as JsonObject | null,
    workflows: chains.map(({ id, parent, runs, chain: { workflow_type: type, budget, status } }) => ({
      id,
      parent,
      type,
      runs,
      budget,
      status,
    })),
  };
  const end: Omit<EndLine, "before"> = {
    line: "end",
    lines: links.length + heads.length + 2,
    links: links.length,
    ends: chains.flatMap(({ id, chain }) => {
      const last = chain.links.at(-1);
      return last === undefined ? [] : [{ workflow: id, seq: last.seq, hash: last.hash }];
    }),
  };
  return ledgerText([header, ...links, ...heads, end]);
}

const linkLines = (
  workflow: string,
  { links, values }: FoundChain,
  asked: ReadonlyMap<string, AskedIn>,
): Omit<LinkLine, "before">[] =>
  links.map((link, i) => {
    const value = values[i] as JsonObject;
    const isBegun = link.kind === "effect" && link.body.state === "intended";
    return {
      ...{ line: "link" as const, workflow, link },
      ...(Object.keys(value).length === 0 ? {} : { value }),
      ...defined({ asked: isBegun ? asked.get(String(link.body.key)) : undefined }),
    };
  });
