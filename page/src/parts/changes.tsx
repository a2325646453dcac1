import { isObject } from "../../../src/core/base/is-object";
import type { JsonObject } from "../../../src/core/base/json";

/** The arguments that differ between two calls. */
export function Changes({ from, to, what }: { from: unknown; to: unknown; what?: string }) {
  const changes = changesOf(from, to);
  if (changes.length === 0) return null;
  return (
    <>
      {what !== undefined && <p class="quiet">{what}</p>}
      <ul class="review-diff">
        {changes.map(({ name, before, now }) => (
          <li key={name}>
            {name}: <del>{before}</del> → <ins>{now}</ins>
          </li>
        ))}
      </ul>
    </>
  );
}

/** What an edit makes of the arguments: null takes one away. */
export const editedBy = (args: JsonObject, edit: unknown): JsonObject =>
  isObject(edit) ? { ...args, ...(edit as JsonObject) } : args;

function changesOf(from: unknown, to: unknown): { name: string; before: string; now: string }[] {
  if (!isObject(from) || !isObject(to)) return [];
  const names = [...new Set([...Object.keys(from), ...Object.keys(to)])];
  return names.flatMap((name) => {
    const [before, now] = [textOf(from[name]), textOf(to[name])];
    return before === now ? [] : [{ name, before, now }];
  });
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return "not given";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > 200 ? `${text.slice(0, 199)}…` : text;
}
