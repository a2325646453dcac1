import { clz32 } from "../../base/intrinsics";
import type { BuiltinContext } from "./context";

/**
 * Bytes that values take in the host. Programs are charged for them when they make values. The numbers are rough but
 * never far below the truth (`test/core/lisp/safety/heap.test.ts` measures it): the memory limit is only as good as
 * they are.
 */

/** A vector without its elements; also a vector that is a part of another. */
export const VECTOR = 64;
/** An element of a vector that is a number or another small value. */
export const SLOT = 16;
/** A map or set, without its entries. */
export const MAP = 96;
/** An entry: its key and value, and its places in list and tree. */
export const ENTRY = 80;
/** An element added to the end of a vector. */
export const GROWTH = 32;
/** A float, when many are made at once; a single one is paid for with the collection that keeps it. */
export const FLOAT = 48;
/** A function that a form such as `juxt` builds. */
export const NATIVE = 256;
/** A frame of a call, without its slots. */
export const FRAME = 128;

/** A map or set with one entry added or taken away: it shares the rest with the one before. */
export function spendEntry(ctx: Pick<BuiltinContext, "allocate">, size: number): void {
  ctx.allocate(64 + (size <= 8 ? 16 * size : 24 * (32 - clz32(size))));
}
