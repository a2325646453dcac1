import type { JsonObject } from "./json";
import { toolCacheKey } from "./lisp/tool-values";

/** A short text that differs for different calls: two rounds of FNV-1a over the call in one notation, 64 bits. Not for secrets. */
export function callDigest({ tool, args }: { tool: string; args: JsonObject }): string {
  const text = toolCacheKey(tool, args);
  return fnv(text, 0x811c9dc5) + fnv(text, 0x01000193);
}

function fnv(text: string, seed: number): string {
  let hash = seed;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}
