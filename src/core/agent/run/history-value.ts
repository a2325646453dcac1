import { utf8Bytes } from "../../base/bytes";
import { PMap, PSet, Vec } from "../../lisp/values/collections";
import { printValue } from "../../lisp/values/print";
import type { Value } from "../../lisp/values/values";

/** No item is cut to fewer bytes than this. */
const LEAST_BYTES = 8;
/** The space of brackets and quotes around a nested item. */
const BRACKETS = 4;

/**
 * Cuts a result to a number of bytes, as `*1 *2 *3` keep it (lisp reference, section 9.4). Texts lose their end,
 * vectors and maps their tail; the first item that does not fit is cut to the bytes that are left.
 */
export function truncateForHistory(value: Value, limit: number): Value {
  if (bytesOf(value, limit) <= limit) return value;
  if (typeof value === "string") return `${cutBytes(value, Math.max(0, limit - 3))}...`;
  if (value instanceof Vec) {
    const items: Value[] = [];
    let left = limit;
    for (const item of value) {
      const size = bytesOf(item, left) + 1;
      if (size > left) {
        if (left > LEAST_BYTES) items.push(truncateForHistory(item, left));
        break;
      }
      items.push(item);
      left -= size;
    }
    return Vec.from(items);
  }
  if (value instanceof PMap) {
    let map: PMap<Value> = PMap.empty;
    let left = limit;
    for (const [key, item] of value.entries()) {
      left -= bytesOf(key, left) + 1;
      const size = bytesOf(item, left) + 1;
      if (size > left) {
        if (left > LEAST_BYTES) map = map.assoc(key, truncateForHistory(item, left - BRACKETS));
        break;
      }
      map = map.assoc(key, item);
      left -= size;
    }
    return map;
  }
  return cutBytes(printValue(value), limit);
}

/**
 * The length of the printed value, including entries that printing hides, because they are kept too. For a value longer
 * than the limit, some number above the limit: counting stops there.
 */
function bytesOf(value: Value, limit: number): number {
  if (value instanceof Vec || value instanceof PSet) return sumOf(value, limit) + (value instanceof PSet ? 1 : 0);
  if (value instanceof PMap) return sumOf(keysAndValues(value), limit);
  if (typeof value === "string" && value.length > limit) return value.length;
  return utf8Bytes(printValue(value));
}

function sumOf(items: Iterable<Value>, limit: number): number {
  let bytes = 1;
  for (const item of items) {
    if (bytes > limit) break;
    bytes += bytesOf(item, limit - bytes) + 1;
  }
  return bytes;
}

function* keysAndValues(map: PMap<Value>): Iterable<Value> {
  for (const [key, item] of map) {
    yield key;
    yield item;
  }
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
