import { execFileSync } from "node:child_process";
import path from "node:path";
import { prometheusProgram } from "../support/servers/prometheus";

/** Prometheus itself reads the alert rules, and evaluates each on the cases of alerts.test.yml. */
const DEPLOY = path.join(__dirname, "../../deploy/prometheus");

test.each([
  ["check", "rules", "alerts.yml"],
  ["test", "rules", "alerts.test.yml"],
])("promtool %s %s %s", (...args) => {
  expect(execFileSync(prometheusProgram("promtool"), args, { cwd: DEPLOY, encoding: "utf8" })).toMatch(/SUCCESS/);
});
