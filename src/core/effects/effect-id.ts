import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";
import { entriesOf, fromEntries, HostSet } from "../base/intrinsics";
import type { JsonObject } from "../base/json";
import { wireName } from "../signature/parse";
import { canonicalJson } from "./canonical-json";
import { type DeclaredInput, withoutDefaults } from "./declared-input";
import type { EffectSettings, ToolEffect } from "./effect-settings";

/** The part of a tool's spec that its effects depend on. */
export interface EffectSpec extends EffectSettings {
  name: string;
  signature?: string;
  effect: ToolEffect;
  takes?: DeclaredInput;
}

/**
 * The id of what a call does, independent of its place and its caller: the SHA-256 of tool, version and identity
 * arguments as canonical JSON, in base64url without padding (43 characters). The same call has the same id in every
 * run, on every worker and in every later version of this package.
 */
export function effectId(spec: EffectSpec, args: JsonObject): string {
  return canonicalDigest({ tool: spec.name, version: toolVersion(spec), args: identityArguments(spec, args) });
}

/**
 * The arguments that make the effect: those that the tool's `identity` names, or all of them.
 *
 * An argument that is null counts as left out, as it does for an optional parameter of a signature; inside an argument
 * null counts. A value that is the declared default of its field counts as left out, too, wherever it stands. `order-id` and `order_id` are one name, because programs write `-` where tools have `_`.
 */
export function identityArguments(
  { identity, takes }: Pick<EffectSpec, "identity" | "takes">,
  args: JsonObject,
): JsonObject {
  const given = entriesOf(withoutDefaults(takes, args)).filter(([, value]) => value !== null && value !== undefined);
  const names = new HostSet(identity ? identity.map(wireName) : []);
  const made = !identity ? given : given.filter(([name]) => names.has(wireName(name)));
  const named = made.map(([name, value]): [string, typeof value] => [wireName(name), value]);
  // Two arguments that differ only in `-` and `_` are two arguments: neither may hide the other.
  const areDistinct = new HostSet(named.map(([name]) => name)).size === named.length;
  return fromEntries(areDistinct ? named : made);
}

/**
 * The version of a tool: the one that it declares, else a digest of its declaration. A change of the description
 * changes nothing; a change of name, signature, effect or identity makes other effects of the same calls. A tool that
 * becomes `idempotent` makes the same effects as it made as a `write`: only the way of calling it changes.
 */
export function toolVersion(spec: EffectSpec): string {
  const known = spec.version ?? versions.get(spec);
  if (known !== undefined) return known;
  const version = digestOfDeclaration(spec);
  versions.set(spec, version);
  return version;
}

/** Each call asks. A tool's spec does not change. */
const versions = new WeakMap<EffectSpec, string>();

function digestOfDeclaration({ name, signature, effect: declared, identity }: EffectSpec): string {
  const effect = declared === "idempotent" ? "write" : declared;
  const named = !identity ? null : identity.map(wireName).sort();
  return canonicalDigest({ name, signature: signature ?? null, effect, identity: named });
}

/** SHA-256 of the value as canonical JSON, in base64url without padding. */
export const canonicalDigest = (value: JsonObject): string => textDigest(canonicalJson(value));

/** Whether a value from outside has the form of such a digest. */
export const isDigest = (value: unknown): value is string =>
  typeof value === "string" && /^[A-Za-z0-9_-]{43}$/.test(value);

/** SHA-256 of a text in UTF-8, in base64url without padding. */
export const textDigest = (text: string): string => base64Url(sha256(utf8ToBytes(text)));

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** Bytes in base64url without padding. Workflows have neither Buffer nor btoa. */
export function base64Url(bytes: Uint8Array): string {
  let text = "";
  let bits = 0;
  let buffer = 0;
  for (const byte of bytes) {
    buffer = (buffer << 8) | byte;
    bits += 8;
    while (bits >= 6) {
      bits -= 6;
      text += DIGITS[(buffer >> bits) & 63];
    }
    buffer &= (1 << bits) - 1;
  }
  return bits === 0 ? text : text + DIGITS[(buffer << (6 - bits)) & 63];
}
