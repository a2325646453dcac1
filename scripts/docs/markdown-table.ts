/** A Markdown table with its columns aligned, as the formatter would write it. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [head, ...rows].map((row) => row.map((cell) => cell.replaceAll("|", "\\|")));
  const widths = head.map((_, column) => Math.max(3, ...cells.map((row) => [...(row[column] ?? "")].length)));
  const line = (row: readonly string[], fill = " ") =>
    `| ${widths.map((width, column) => (row[column] ?? "").padEnd(width, fill)).join(" | ")} |`;
  const [first = [], ...others] = cells;
  return [line(first), line([], "-"), ...others.map((row) => line(row))].join("\n");
}
