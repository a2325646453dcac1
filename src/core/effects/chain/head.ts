import { isObject } from "../../base/is-object";
import type { JsonObject } from "../../base/json";
import { canonicalJson } from "../canonical-json";
import { isDigest } from "../effect-id";

/**
 * The end of a chain at one moment, as a worker signs it: the signature shows when somebody cuts links off after it.
 */
export interface LedgerHead {
  workflow_id: string;
  /** The number of links. */
  seq: number;
  /** The hash of the last one. */
  hash: string;
  /** When the last one was made, ms since 1970. */
  at: number;
  /** The workflow is over: no link follows. */
  final: boolean;
}

/** What a workflow reports about the end of its chain, so that a worker signs it. */
export type ChainEnd = Pick<LedgerHead, "seq" | "hash" | "at">;

/** Reads an end from outside, without anything else that stands there; null: it is none. */
export function parseChainEnd(raw: unknown): ChainEnd | null {
  if (!isObject(raw)) return null;
  const { seq, hash, at } = raw;
  if (typeof seq !== "number" || !Number.isSafeInteger(seq) || seq < 1) return null;
  if (typeof at !== "number" || !Number.isSafeInteger(at)) return null;
  return isDigest(hash) ? { seq, hash, at } : null;
}

/** The text that a worker signs, as RFC 8785 canonical JSON. */
export const headText = (head: LedgerHead): string => canonicalJson({ v: 1, ...head } as unknown as JsonObject);

/** What a Step shows of the chain of its run. */
export interface StepLedger {
  /** The number of links. */
  seq: number;
  /** The hash of the last one. */
  head: string;
  /** The id of the key of the signature; null: the worker had no key. */
  kid: string | null;
  /** A detached JWS over `headText`. */
  signature: string | null;
}

/** The end of a chain in a search attribute, and as `--head` takes it: `SEQ:HASH`. */
export const headWord = (seq: number, hash: string): string => `${seq}:${hash}`;

/** The end of a chain in such a word; null: it is none. */
export function readHeadWord(word: string): { seq: number; hash: string } | null {
  const [, seq, hash] = /^([1-9]\d{0,8}):([A-Za-z0-9_-]{43})$/.exec(word) ?? [];
  return hash === undefined ? null : { seq: Number(seq), hash };
}

/** The memo field in which a workflow without a Step has the end of its chain, as a Step has it. */
export const LEDGER_MEMO = "ledger";
