import fc from "fast-check";
import { estimateTokens } from "../../../../src/core/agent/budget/token-counts";
import { promptParts } from "../../../../src/core/agent/prompt/prompt-parts";
import { assertProperty } from "../../../support/run/property";

test("a prompt has its parts by their tags and headings, in order", () =>
  expect(
    promptParts(
      "user",
      "Hello.\n;; === tools ===\ntool/a\n\n;; === data/ ===\ndata/b\n\n# Expected Output\n:int\n\n<mission>\nGo.\n</mission>\n\n## Progress\n- [ ] a",
    ).map(({ name }) => name),
  ).toEqual(["text", "tools", "data", "expected_output", "mission", "progress"]));

test("whatever a prompt says, its parts are all of it, and their tokens add up", () => {
  const line = fc.oneof(
    fc.string(),
    fc.constantFrom("<role>", "<mission>", ";; === tools ===", ";; No tools available", "# Mission Log", "## Progress"),
  );
  assertProperty(
    fc.property(fc.array(line), (lines) => {
      const text = lines.join("\n");
      const parts = promptParts("system", text);
      expect(parts.reduce((sum, { chars }) => sum + chars, 0)).toBe(text.length);
      expect(parts.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(estimateTokens(text));
    }),
  );
});
