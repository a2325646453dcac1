import type { JsonObject } from "../../base/json";
import { type ChainLink, chainStart, type LinkKind, linkHash } from "./link";

/** Where a chain ends: what the next run of a workflow needs of it after continue-as-new. */
export interface ChainState {
  /** The number of links. */
  seq: number;
  /** The hash of the last one. */
  head: string;
  /** When the last one was made, ms since 1970. */
  at: number;
}

/** What a run carries over to its next one. */
export interface ContinuedChain {
  /** The end of its chain; absent: it has no links yet. */
  chain?: ChainState;
}

/** The chain of one workflow. Only its end is kept. */
export class LinkChain {
  private seq: number;
  private last: string;
  private at: number;

  constructor(workflowId: string, state?: ChainState) {
    this.seq = state?.seq ?? 0;
    this.last = state?.head ?? chainStart(workflowId);
    this.at = state?.at ?? 0;
  }

  /** @param at ms since 1970; the same on every replay */
  add(kind: LinkKind, body: JsonObject, at: number): ChainLink {
    const rest = { seq: this.seq + 1, prev: this.last, kind, at, body };
    const link = { ...rest, hash: linkHash(rest) };
    this.seq = link.seq;
    this.last = link.hash;
    this.at = at;
    return link;
  }

  /** null: it has no links yet. */
  end(): ChainState | null {
    return this.seq === 0 ? null : { seq: this.seq, head: this.last, at: this.at };
  }
}
