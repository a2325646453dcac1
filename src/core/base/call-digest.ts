import { canonical } from "./canonical";
import type { JsonObject } from "./json";
import { fnv } from "./text-hash";

/** A tool call as text: equal calls have equal texts, whatever the order of the keys of their arguments. */
export function toolCacheKey(tool: string, args: JsonObject): string {
  return `${tool} ${canonical(args)}`;
}

/**
 * A short text that differs for different calls: two rounds of FNV-1a over the canonical call, 64 bits. Not for
 * secrets.
 */
export function callDigest({ tool, args }: { tool: string; args: JsonObject }): string {
  const text = toolCacheKey(tool, args);
  return fnv(text) + fnv(text, 0x01000193);
}
