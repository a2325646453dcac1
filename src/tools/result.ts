import { jsonBytes } from "../core/base/bytes";
import type { Json, JsonObject } from "../core/base/json";
import { MAX_PAYLOAD_BYTES } from "../core/base/limits";
import { cutText } from "../core/base/whole-characters";
import { ToolFailure } from "./errors";

const MAX_DEPTH = 200;

/**
 * What a tool answered, as the JSON that goes into history: `undefined` is null at the top and in lists and left out
 * of objects, values with a `toJSON` (dates, URLs) stand for what it gives.
 *
 * @throws ToolFailure for what JSON would lose or bend (NaN, functions, maps, class instances), with its path, and
 * for more than MAX_PAYLOAD_BYTES (`ResultTooLarge`), with its size.
 */
export function toolResultJson(value: unknown): Json {
  const json = toJson(value, "result", 0);
  const bytes = jsonBytes(json);
  if (bytes > MAX_PAYLOAD_BYTES) throw new ResultTooLarge(json, bytes);
  return json;
}

/** A result that no history takes. `result` is the whole: where the project keeps large payloads, it becomes a document. */
export class ResultTooLarge extends ToolFailure {
  constructor(
    readonly result: Json,
    bytes: number,
  ) {
    super(
      `the result is ${bytes} bytes; the limit is ${MAX_PAYLOAD_BYTES}. Set largePayloads in navigator.config, or store it and give a reference (a path, a URL, a key), or give less of it.`,
      { code: "result_too_large", bytes },
    );
  }
}

function toJson(value: unknown, path: string, depth: number): Json {
  if (depth > MAX_DEPTH) throw refused(cutText(path, 60), `nested deeper than ${MAX_DEPTH} (or contains itself)`);
  if (value === null || value === undefined) return null;
  if (typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw refused(path, `${value}`);
    return value;
  }
  if (typeof value !== "object") throw refused(path, `a ${typeof value}`);
  if (Array.isArray(value)) return value.map((item, i) => toJson(item, `${path}[${i}]`, depth + 1));
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON === "function") return toJson(toJSON.call(value, ""), path, depth + 1);
  if (!isPlain(value)) throw refused(path, `a ${(value as object).constructor?.name ?? "special object"}`);
  const object: JsonObject = {};
  for (const [key, item] of Object.entries(value)) {
    if (item === undefined) continue;
    // Defined, not assigned: the key may be __proto__.
    Object.defineProperty(object, key, {
      value: toJson(item, `${path}.${key}`, depth + 1),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return object;
}

/** Also true for objects of another realm, such as those of a test's sandbox. */
function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value) as object | null;
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function refused(path: string, what: string): ToolFailure {
  return new ToolFailure(`the result is not JSON: ${path} is ${what}`, { code: "invalid_result", path });
}
