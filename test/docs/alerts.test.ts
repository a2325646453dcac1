import { readFileSync } from "node:fs";
import path from "node:path";
import { parse } from "yaml";
import { alerts } from "../support/servers/dashboards";

/** The alert rules, their cases and their documentation. Prometheus itself evaluates them: alert-rules.deep.test.ts. */
const DEPLOY = path.join(__dirname, "../../deploy/prometheus");

interface Case {
  alert_rule_test: { alertname: string; exp_alerts?: unknown[] }[];
}

test("each rule has a case in which it fires, and is silent before and after", () => {
  const { tests } = parse(readFileSync(path.join(DEPLOY, "alerts.test.yml"), "utf8")) as { tests: Case[] };
  const courses = tests.map(({ alert_rule_test: checks }) => ({
    alert: checks[0]?.alertname,
    course: checks.map(({ exp_alerts }) => (exp_alerts === undefined ? "silent" : "fires")).join(" "),
  }));
  for (const { alert } of alerts())
    expect(courses.filter((one) => one.alert === alert).map(({ course }) => course)).toContainEqual(
      expect.stringMatching(/^silent .*fires silent$/),
    );
});

test("each alert says how urgent it is, and operations.md says what to do", () => {
  const operations = readFileSync(path.join(__dirname, "../../docs/operations.md"), "utf8");
  for (const { alert, labels } of alerts()) {
    expect([alert, labels.severity]).toEqual([alert, expect.stringMatching(/^(page|ticket)$/)]);
    expect(operations).toContain(`| \`${alert}\` `);
  }
});
