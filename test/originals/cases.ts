import { readFileSync } from "node:fs";
import path from "node:path";
import { parse } from "yaml";
import type { JsonObject } from "../../src/core/base/json";

/** One rule of a document: a scenario, and where the rule stands. */
export interface RuleCase {
  section: string;
  rule: string;
  /** The section, then what it says. */
  title: string;
  scenario: JsonObject;
}

/** The rules of one document that a scenario can show, in the order of its sections. */
export function rulesOf(document: "agent" | "plan"): RuleCase[] {
  const text = readFileSync(path.join(__dirname, `${document}.yaml`), "utf8");
  return (parse(text) as (JsonObject & { section: string; rule: string })[]).map(({ section, rule, ...scenario }) => ({
    section,
    rule,
    title: `section ${section}: ${rule}`,
    scenario: { about: rule, ...scenario },
  }));
}
