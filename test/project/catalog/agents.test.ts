import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { parse } from "yaml";
import { parseAgent } from "../../../src/core/agent/definition/parse-agent";
import { previewPrompt } from "../../../src/core/agent/run/preview";
import { CATALOG_FOLDER } from "../../../src/project/catalog";

/** The agents of the catalog: what their models are told. */

const folder = path.join(CATALOG_FOLDER, "agents");
const files = readdirSync(folder);
const agentOf = (file: string) => {
  const agent = parseAgent(parse(readFileSync(path.join(folder, file), "utf8")));
  if (!agent.ok) throw new Error(agent.fail.message);
  return agent.value;
};

test.each(files)("%s can be parsed, has a description, and is named like its file", (file) => {
  const { name, description, plan } = agentOf(file);
  expect(name).toBe(path.parse(file).name);
  expect(description).toBeTruthy();
  expect(plan.length).toBeGreaterThan(1);
});

test.each(files)("%s gets the request, its step with the instructions, and the possible outcomes", (file) => {
  const step = { name: "Prove it", description: "By trying.", instructions: "Twice.", outputs: ["proven", "refuted"] };
  const { user } = previewPrompt(agentOf(file), { context: { request: "Mend the cart", step } });
  expect(user).toContain("What is wanted: Mend the cart");
  expect(user).toContain('You are at the step "Prove it" of a workflow. By trying.\nTwice.');
  expect(user).toContain('Its outcomes: "proven" "refuted"');
});

test.each(files)("%s needs no optional input: its prompt has no empty placeholder", (file) => {
  const { user } = previewPrompt(agentOf(file), { context: { ticket: 7 } });
  expect(user).not.toMatch(/\{\{|What is wanted|You are at the step/);
});
