import figures from "../../test/support/mcp/conformance/figures.json";
import { markdownTable } from "./markdown-table";

const ERAS = ["2025-11-25", "2026-07-28"] as const;

/** The figures of the conformance suite of MCP, as `npm run conformance -- --write` kept them. */
export function mcpConformance(): string {
  const rows = ERAS.flatMap((era) =>
    (["required", "more"] as const).map((kind) => {
      const { scenarios, scenarios_passed, checks_passed, checks_failed } = figures[era][kind];
      const what = kind === "required" ? "required by the revision" : "extensions, and scenarios added since";
      return [era, what, `${scenarios_passed} of ${scenarios}`, `${checks_passed}`, `${checks_failed}`];
    }),
  );
  const left = ERAS.flatMap((era) => figures[era].not_applicable.map((one) => ({ era, ...one }))) as {
    era: string;
    check: string;
    why: string;
  }[];
  return [
    `Suite: \`@modelcontextprotocol/conformance\` ${figures.suite}.`,
    markdownTable(["revision", "scenarios", "passed", "checks passed", "failed"], rows),
    "Checks that do not apply:",
    markdownTable(
      ["revision", "check", "why"],
      left.map(({ era, check, why }) => [era, `\`${check}\``, why]),
    ),
  ].join("\n\n");
}
