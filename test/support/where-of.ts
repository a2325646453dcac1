import { isObject } from "../../src/core/base/is-object";

/** An error of a family as its code, the kind of thing and the place: `not_found person anna`, `bad_usage --port`. */
export function whereOf({ code, details }: { code?: unknown; details?: unknown }): string {
  const { kind, path } = isObject(details) ? details : {};
  return [code, kind, path].filter((part) => part !== undefined).join(" ");
}
