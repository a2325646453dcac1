import { clz32 } from "../../base/intrinsics";
import type { BuiltinContext } from "./context";

/**
 * What values take in the host, in bytes: what programs are charged when they make them. Rough, but never far below the
 * truth (`test/core/lisp/safety/heap.test.ts` measures it): the limit on memory is worth no more than these.
 */

/** A vector, without what it holds; also one that is a part of another. */
export const VECTOR = 64;
/** A place in a vector, with a number or the like in it. */
export const SLOT = 16;
/** A map or set, without its entries. */
export const MAP = 96;
/** An entry: its key and value, and its places in list and tree. */
export const ENTRY = 80;
/** A place at the end of a vector that grows. */
export const GROWTH = 32;
/** A float, where many are made at once; single ones are paid for by who keeps them. */
export const FLOAT = 48;
/** A function that a form such as `juxt` builds. */
export const NATIVE = 256;
/** A frame of a call, without its slots. */
export const FRAME = 128;

/** A map or set with one entry added or taken away: it shares the rest with the one before. */
export function spendEntry(ctx: Pick<BuiltinContext, "allocate">, size: number): void {
  ctx.allocate(64 + (size <= 8 ? 16 * size : 24 * (32 - clz32(size))));
}
