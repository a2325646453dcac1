import type { Arc } from "../../base/ordering";
import { type Definition, edgesFrom, nodeKind, nodeOf } from "../definition/schema";
import { type WaysOut, waysOut } from "../task/ways-out";

/** An edge that a task may take; a counted one is taken at most `limit` times before its step passes. */
export interface CountedArc extends Arc {
  limit: number | null;
}

/**
 * All moves of a definition that the engine makes automatically; what a person does in HITL is not included. Rules: how
 * results are evaluated (graph reference, section 3).
 */
export function arcsOf(definition: Definition): CountedArc[] {
  return Object.keys(definition.nodes).flatMap((from): CountedArc[] => {
    const node = nodeOf(definition, from);
    if (node === undefined || nodeKind(node).place === "end") return [];
    const ways = waysOut(definition, from);
    const free = (to: string): CountedArc => ({ from, to, limit: null });
    const branches = nodeKind(node).edges === "branches" ? edgesFrom(definition, from) : [];
    const ordinary = [...ways.exact.values(), ...(ways.always ? [ways.always] : []), ...branches];
    return [...ordinary.map(({ to }) => free(to)), ...failureArcs(from, ways)];
  });
}

function failureArcs(from: string, { back, end, exceeded, maxRetries }: WaysOut): CountedArc[] {
  const up = exceeded ?? end;
  if (!back && !up) return [];
  const leaving = up ? [{ from, to: up.to, limit: null }] : [];
  const counts = maxRetries > 0 || (back && up) || exceeded;
  if (!counts) return back ? [{ from, to: back.to, limit: null }, ...leaving] : leaving;
  return [{ from, to: back?.to ?? from, limit: maxRetries }, ...leaving];
}
