import { utf8Bytes } from "../bytes";
import { PMap, Vec } from "../lisp/collections";
import { printValue } from "../lisp/print";
import type { Value } from "../lisp/values";

/**
 * A result as `*1 *2 *3` keep it: cut to a number of bytes (language reference, section 9.4). Texts lose their end,
 * vectors and maps their tail; the first item that does not fit is cut into the room that is left.
 */
export function truncateForHistory(value: Value, limit: number): Value {
  const text = printValue(value);
  if (utf8Bytes(text) <= limit) return value;
  if (typeof value === "string") return `${cutBytes(value, Math.max(0, limit - 3))}...`;
  if (value instanceof Vec) {
    const items: Value[] = [];
    let left = limit;
    for (const item of value) {
      const size = utf8Bytes(printValue(item)) + 1;
      if (size > left) {
        if (left > 8) items.push(truncateForHistory(item, left));
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
      const size = utf8Bytes(printValue(key)) + utf8Bytes(printValue(item)) + 2;
      if (size > left) break;
      map = map.assoc(key, item);
      left -= size;
    }
    return map;
  }
  return cutBytes(text, limit);
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
