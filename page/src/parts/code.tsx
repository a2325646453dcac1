import { memo } from "preact/compat";

/** A program of PTC-Lisp with its parts in colours. What cannot be read is shown as it is. */

type Kind = "comment" | "text" | "keyword" | "number" | "form" | "tool" | "data" | "bracket" | "plain";

const TOKEN =
  /(;[^\n]*)|("(?:[^"\\]|\\[\s\S])*"?)|(:[^\s()[\]{}",;]+)|(-?\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?(?=[\s()[\]{}",;]|$))|([()[\]{}])|([^\s()[\]{}",;]+)|([\s,]+)/gi;

const FORMS = new Set(
  "def defonce defn fn let do if if-not if-let when when-not when-let cond and or -> ->> loop recur for doseq where all-of any-of none-of juxt pmap pcalls task task-reset step-done return fail println".split(
    " ",
  ),
);

function kindOf([, comment, text, keyword, number, bracket, name]: RegExpMatchArray): Kind {
  if (comment !== undefined) return "comment";
  if (text !== undefined) return "text";
  if (keyword !== undefined) return "keyword";
  if (number !== undefined) return "number";
  if (bracket !== undefined) return "bracket";
  if (name === undefined) return "plain";
  if (/^(tool|budget)\//.test(name)) return "tool";
  if (name.startsWith("data/")) return "data";
  return FORMS.has(name) ? "form" : "plain";
}

/** @param marked lines, from 1, that are shown as the place in question */
export const Program = memo(({ code, marked = [] }: { code: string; marked?: readonly number[] }) => (
  <pre class="code" tabIndex={0}>
    <code>{marked.length === 0 ? tokensOf(code) : markedLines(code, marked)}</code>
  </pre>
));

const tokensOf = (code: string) =>
  [...code.matchAll(TOKEN)].map((match) => {
    const kind = kindOf(match);
    return kind === "plain" ? (
      match[0]
    ) : (
      <span key={match.index} class={`lisp-${kind}`}>
        {match[0]}
      </span>
    );
  });

const markedLines = (code: string, marked: readonly number[]) =>
  code.split("\n").map((line, i) =>
    marked.includes(i + 1) ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a program do not move
      <mark class="code-line" key={i}>
        {tokensOf(line)}
        {"\n"}
      </mark>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: as above
      <span key={i}>
        {tokensOf(line)}
        {"\n"}
      </span>
    ),
  );

/** A value as JSON, a few lines of it at first. */
export function Value({ of, open = false }: { of: unknown; open?: boolean }) {
  const text = typeof of === "string" ? of : (JSON.stringify(of, null, 2) ?? "nil");
  const flat = typeof of === "string" ? of : (JSON.stringify(of) ?? "nil");
  if (flat.length <= 80 && !flat.includes("\n")) return <code class="value">{flat}</code>;
  const first = text.replace(/\s+/g, " ").slice(0, 100);
  return (
    <details open={open}>
      <summary>
        <code class="value">{first}…</code>
      </summary>
      <pre class="code" tabIndex={0}>
        {text}
      </pre>
    </details>
  );
}
