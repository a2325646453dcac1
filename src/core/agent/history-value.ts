import { utf8Bytes } from "../bytes";
import { PMap, PSet, Vec } from "../lisp/collections";
import { printValue } from "../lisp/print";
import type { Value } from "../lisp/values";

/** An item is not cut into less room than this. */
const LEAST_ROOM = 8;
/** What a nested item takes for brackets and quotes. */
const BRACKETS = 4;

/**
 * A result as `*1 *2 *3` keep it: cut to a number of bytes (language reference, section 9.4). Texts lose their end,
 * vectors and maps their tail; the first item that does not fit is cut into the room that is left.
 */
export function truncateForHistory(value: Value, limit: number): Value {
  if (bytesOf(value) <= limit) return value;
  if (typeof value === "string") return `${cutBytes(value, Math.max(0, limit - 3))}...`;
  if (value instanceof Vec) {
    const items: Value[] = [];
    let left = limit;
    for (const item of value) {
      const size = bytesOf(item) + 1;
      if (size > left) {
        if (left > LEAST_ROOM) items.push(truncateForHistory(item, left));
        break;
      }
      items.push(item);
      left -= size;
    }
    return Vec.from(items);
  }
  if (value instanceof PMap) {
    let map = PMap.empty;
    let left = limit;
    for (const [key, item] of value.entries()) {
      left -= bytesOf(key) + 1;
      const size = bytesOf(item) + 1;
      if (size > left) {
        if (left > LEAST_ROOM) map = map.assoc(key, truncateForHistory(item, left - BRACKETS));
        break;
      }
      map = map.assoc(key, item);
      left -= size;
    }
    return map;
  }
  return cutBytes(printValue(value), limit);
}

/** The length of the printed value, entries that printing hides included: they are kept too. */
function bytesOf(value: Value): number {
  const sum = (items: readonly Value[]) => items.reduce((bytes: number, item) => bytes + bytesOf(item) + 1, 1);
  if (value instanceof Vec) return sum(value.toArray());
  if (value instanceof PSet) return sum(value.values()) + 1;
  if (value instanceof PMap) return sum(value.entries().flat());
  return utf8Bytes(printValue(value));
}

function cutBytes(text: string, limit: number): string {
  let bytes = 0;
  let end = 0;
  for (const character of text) {
    bytes += utf8Bytes(character);
    if (bytes > limit) break;
    end += character.length;
  }
  return text.slice(0, end);
}
