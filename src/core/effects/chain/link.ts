import { isObject } from "../../base/is-object";
import type { JsonObject } from "../../base/json";
import { canonicalDigest } from "../effect-id";

/**
 * The links of the chain that a workflow keeps of its records, effects, reviews and decisions (approvals reference,
 * section 6). Each has the hash of the one before, so that none can be changed, left out or moved without a trace.
 */

/** The subject of a link. */
export type LinkKind = "record" | "effect" | "review" | "decision" | "child" | "reset";
/** All kinds of links. */
export const LINK_KINDS: readonly LinkKind[] = ["record", "effect", "review", "decision", "child", "reset"];

/** One link. */
export interface ChainLink {
  /** From 1. */
  seq: number;
  /** The hash of the link before; of the first one `chainStart`. */
  prev: string;
  /** SHA-256 of all other fields, in base64url. */
  hash: string;
  kind: LinkKind;
  /** Ms since 1970, workflow time. */
  at: number;
  /** Short: large values stand in it as digests. */
  body: JsonObject;
}

/** What the first link of a workflow has instead of a hash: nobody can pass its chain off as another workflow's. */
export const chainStart = (workflowId: string): string => `workflow:${workflowId}`;

/** The hash of a link. */
export const linkHash = ({ seq, prev, kind, at, body }: Omit<ChainLink, "hash">): string =>
  canonicalDigest({ seq, prev, kind, at, body });

/**
 * A link as it stands in the history of its run, in few bytes: its number and the hash of the one before follow from its
 * place.
 */
export interface LinkChange {
  link: {
    hash: string;
    /** Absent: as the link before. */
    at?: number;
    /** Absent, with the body: the link is about the record whose change stands before it. */
    kind?: LinkKind;
    body?: JsonObject;
  };
  /** What a digest of the link stands for, where the history has it nowhere else. */
  value?: JsonObject;
}

/** Whether a value from outside is a link as histories have it. */
export const isLinkChange = (value: unknown): value is LinkChange =>
  isObject(value) && isObject(value.link) && typeof value.link.hash === "string";
