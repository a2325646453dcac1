import type { JsonObject } from "../../../../src/core/base/json";

/** A map as JSON, or what is wrong with it. */
export function readJsonObject(text: string): { value: JsonObject } | { problem: string } {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return { value: value as JsonObject };
    return { problem: 'a map as JSON is needed: {"a": 1}' };
  } catch (error) {
    return { problem: `it is no JSON: ${(error as Error).message}` };
  }
}

/** A text area for JSON, with what is wrong below it. */
export function JsonField({
  id,
  label,
  text,
  changed,
  problem,
  rows = 6,
}: {
  id: string;
  label: string;
  text: string;
  changed: (text: string) => void;
  problem: string | undefined;
  rows?: number;
}) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea
        id={id}
        rows={rows}
        spellcheck={false}
        value={text}
        aria-invalid={problem !== undefined}
        aria-describedby={`${id}-note`}
        onInput={(event) => changed(event.currentTarget.value)}
      />
      <p class="note" id={`${id}-note`}>
        {problem ?? ""}
      </p>
    </div>
  );
}
