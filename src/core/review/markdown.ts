import { joinLines, linesOf } from "../base/one-line";

/**
 * Texts of models, tools and people in the Markdown pages of the Temporal Web UI: they must not become headings, lists,
 * links or HTML, which a reader would take for Navigator's own words.
 */

/** A text as one line that shows every character as it is. An underscore within a word is no markup. */
export const textInMarkdown = (text: string): string =>
  blankLine(text).replace(/[\\`*[\]<>#|]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g, "\\$&");

/** A text as code in a line. */
export function codeSpan(text: string): string {
  const fence = "`".repeat(longestRun(text) + 1);
  const line = blankLine(text);
  // A backtick at an edge would belong to the fence; Markdown takes the blanks off again.
  return line.startsWith("`") || line.endsWith("`") ? `${fence} ${line} ${fence}` : `${fence}${line}${fence}`;
}

/** Lines as a block of code. */
export function codeBlock(text: string): string {
  const fence = "`".repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}\n${text}\n${fence}`;
}

/** A text that may contain Markdown, as a quotation: no line of it leaves the quotation. */
export const quotation = (text: string, indent: string): string =>
  linesOf(text)
    .map((line) => `${indent}> ${line}`)
    .join("\n");

/** The lines of a list that Navigator made: its headings and marks stay, and what stands in them is text. */
export function listLines(markdown: string, headings: readonly string[]): string {
  return markdown
    .split("\n")
    .map((line) => {
      if (headings.includes(line)) return line;
      const mark = /^- (?:\[(?:done|x| )\] )?/.exec(line)?.[0] ?? "";
      return mark + textInMarkdown(line.slice(mark.length));
    })
    .join("\n");
}

/** Markdown shows several blanks as one. */
const blankLine = (text: string): string => joinLines(text).replace(/\s+/g, " ");

const longestRun = (text: string): number =>
  [...text.matchAll(/`+/g)].reduce((longest, [run]) => Math.max(longest, run.length), 0);
