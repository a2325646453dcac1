import { type Commands, openPlace, type Place } from "../support/cli";
import { deepTest } from "../support/run/deep";

/** `navigator demo` and `navigator doctor`: the first two things that a new user tries. */

let place: Place;
beforeAll(async () => {
  place = await openPlace("demo");
});
afterAll(() => place.close());

test("the demo kills its worker after the money moved and charges once", async () => {
  const end = await place.run(["demo", "--yes"]);
  // As README.md and examples/order/README.md show it.
  expect(end.stderr).toMatch(/the money has moved \(key task\/order-42-[\d-]+~[\w-]{43}~charge\/1\);/);
  expect(end.stderr).toMatch(/was killed with SIGKILL\n.*is up and takes over\n/);
  expect(end.code).toBe(0);
  expect(end.stdout).toMatch(/\ncharge requests: 2 .*\ncharges: 1\n/);
  const [way, charge, ship] = ["Path taken", "\nAgent charge  task/", "\nAgent ship  task/"].map((text) =>
    end.stdout.indexOf(text),
  );
  expect(way).toBeLessThan(charge as number);
  expect(charge).toBeGreaterThan(0);
  expect(charge).toBeLessThan(ship as number);
  expect(end.stdout).toContain('- [done] charge_order_42: {"tx" "tx_42_1"}');
  expect(end.stdout).toContain("- [x] Charge the card — transaction tx_42_1");
  expect(end.stdout).toMatch(/\n {2}recovery after the kill +\d+\.\d\d s\n/);
  // Meant for models.
  expect(end.stdout).not.toMatch(/step-done|Report with|##/);
});

deepTest(
  "a second run, without the kill, charges the card with one request; without a terminal nobody is asked",
  async () => {
    const answer = await place.json(["demo", "--no-crash"]);
    expect(answer).toMatchObject({ charges: 1, charge_requests: 1, crash: null, task: { status: "COMPLETED" } });
  },
);

test("a model that is not available is refused before anything starts", async () => {
  const error = await place.here().refused(["demo", "--yes"], { env: { NAVIGATOR_MODEL: "anthropic/some-model" } });
  expect(error).toMatchObject({ code: "invalid_input", message: expect.stringContaining("ANTHROPIC_API_KEY") });
});

describe("navigator doctor", () => {
  let here: Commands;
  beforeAll(() => {
    here = place.here();
  });

  test("reports what it finds, including the project of this folder", async () => {
    const end = await place.run(["doctor"]);
    expect(end).toMatchObject({ code: 0, stderr: "", stdout: expect.stringMatching(/\nReady\.\n$/) });
    expect(end.stdout).toMatch(/^ok +Temporal server +.* \(TEMPORAL_ADDRESS\)$/m);
    expect(end.stdout).toMatch(/^ok +Project +none in this folder/m);
    const { ready, checks } = await here.json(["doctor"]);
    expect({ ready, node: checks[0] }).toEqual({
      ready: true,
      node: { name: "Node.js", state: "ok", found: process.versions.node },
    });
  });

  test("reports a project that no worker can serve, and a model that cannot be used", async () => {
    const broken = await openPlace("doctor");
    broken.write("navigator.config.json", { agents: "nowhere" });
    const { ready, checks } = await broken.here().json(["doctor"], { code: 2 });
    expect(ready).toBe(false);
    expect(checks.find((check: { name: string }) => check.name === "Project")).toMatchObject({
      state: "missing",
      found: expect.stringContaining("nowhere"),
    });
    broken.write("navigator.config.json", {});
    const other = await broken.here().json(["doctor"], { env: { NAVIGATOR_MODEL: "scripted:none.json" } });
    expect(other.checks.filter((check: { name: string }) => check.name === "Model")).toMatchObject([
      { state: "note", hint: expect.stringContaining("none.json") },
    ]);
    broken.close();
  });

  test("lists the available models by the names of their settings, never by their values", async () => {
    const project = await openPlace("doctor-models");
    project.write(
      "navigator.config.cjs",
      `module.exports = {
         models: { "acme/house": { complete: async () => ({ content: "hi" }) } },
         agents: [
           { name: "cheap", prompt: "Do it.", model: ["openai/gpt-5-mini", "acme/house", "fast"] },
           { name: "sound", prompt: "Do it.", model: "anthropic/claude-sonnet-5-5" },
         ],
       };`,
    );
    const secret = "sk-secret-0123456789";
    const end = await project.here().run(["doctor", "--json"], {
      env: { ANTHROPIC_API_KEY: secret, MISTRAL_API_KEY: secret, NAVIGATOR_MODEL: "anthropic/claude-sonnet-5-5" },
    });
    expect(end.stdout + end.stderr).not.toContain(secret);
    const { checks } = JSON.parse(end.stdout);
    expect(checks.filter(({ name }: { name: string }) => /[Mm]odel/.test(name))).toEqual([
      {
        name: "Model providers",
        state: "ok",
        found:
          "anthropic (ANTHROPIC_API_KEY set), mistral (@ai-sdk/mistral, MISTRAL_API_KEY set), acme/house (the project's own); openai needs OPENAI_API_KEY, google needs GOOGLE_GENERATIVE_AI_API_KEY, openai-compatible needs NAVIGATOR_BASE_URL, groq (@ai-sdk/groq) needs GROQ_API_KEY",
      },
      { name: "Model", state: "ok", found: "anthropic/claude-sonnet-5-5 is available" },
      {
        name: "Agents' models",
        state: "note",
        found: "cheap: openai/gpt-5-mini is not available here",
        hint: "The model openai/gpt-5-mini needs an API key: set OPENAI_API_KEY where the worker runs.",
      },
    ]);
    project.close();
  });

  test("exits with code 3 when no server answers", async () => {
    const { ready } = await here.json(["doctor"], { env: { TEMPORAL_ADDRESS: "127.0.0.1:1" }, code: 3 });
    expect(ready).toBe(false);
  });
});
