import { estimateTokens } from "../../../../src/core/agent/budget/token-counts";
import { previewPrompt } from "../../../../src/core/agent/run/preview";
import { keptFinds, ToolSearch } from "../../../../src/core/agent/tools/tool-search";
import { ok } from "../../../../src/core/base/failure";
import type { ToolSpec } from "../../../../src/core/calls/tool";
import { agentOf, run } from "../run/mission";
import { manyTools } from "./many-tools";

/** Agents with very many tools: the prompt stays small, and the model finds what it needs (agent reference, section 4.5). */

const search = new ToolSearch(manyTools(500));

test.each([
  ["reimburse a customer on stripe", "stripe_create_refund"],
  ["give a refund", "stripe_create_refund"],
  ["remove a branch from github", "github_delete_branch"],
  ["open a bug in github", "github_create_issue"],
  ["show me the pull request", "github_get_pull_request"],
  ["send a message to slack", "slack_create_message"],
  ["what flights are there?", "travel_list_flight"],
  ["cancel the hotel", "travel_delete_hotel"],
  ["add an appointment to the calendar", "calendar_create_event"],
  ["rename a folder", "drive_update_folder"],
  ["look up an employee", "hr_get_employee"],
  ["change someone's salary", "hr_update_salary"],
  ["which parcels do we have", "warehouse_list_parcel"],
  ["new bank transfer", "bank_create_transfer"],
  ["delete the DNS record", "dns_delete_record"],
  ["fetch a patient", "clinic_get_patient"],
  ["all prescriptions", "clinic_list_prescription"],
  ["edit the ad campaign", "ads_update_campaign"],
  ["grades of students", "school_list_grade"],
  ["read the energy tariff", "energy_get_tariff"],
])("of 500 tools, %j finds %s among the first three", (words, name) =>
  expect(search.find(words, 3).map((tool) => tool.name)).toContain(name),
);

/**
 * Queries as people ask, with other words than the tools have. The first list was written before the words of the search were
 * widened, the second after that: what it finds is what to expect of new queries.
 */
const HELD_OUT: Record<string, [words: string, name: string][]> = {
  before: [
    ["pay a customer back", "stripe_create_refund"],
    ["who works at the company?", "hr_list_employee"],
    ["book a hotel for two nights", "travel_create_hotel"],
    ["older versions of a file", "drive_list_revision"],
    ["schedule a meeting", "calendar_create_event"],
    ["stop a customer's subscription", "stripe_delete_subscription"],
    ["share a file with a colleague", "drive_create_permission"],
    ["discount code for a customer", "stripe_create_coupon"],
    ["how many items are in stock", "warehouse_get_stock"],
    ["report a power failure", "energy_create_outage"],
    ["start a virtual machine", "cloud_create_server"],
    ["back up a disk", "cloud_create_snapshot"],
    ["read the messages of a channel", "slack_list_message"],
    ["enrol a new pupil", "school_create_student"],
    ["write a prescription", "clinic_create_prescription"],
    ["renew the TLS certificate", "cloud_update_certificate"],
    ["send money to another account", "bank_create_transfer"],
    ["candidates who applied for the job", "hr_list_applicant"],
    ["close the ticket on github", "github_update_issue"],
    ["when is Anna on holiday?", "hr_get_vacation"],
  ],
  after: [
    ["give a student a mark", "school_create_grade"],
    ["who has access to this folder", "drive_list_permission"],
    ["postpone the court deadline", "legal_update_deadline"],
    ["take a sick day", "hr_create_vacation"],
    ["block traffic from an IP address", "cloud_create_firewall"],
    ["point my domain to a new host", "dns_create_record"],
    ["what was the patient prescribed", "clinic_list_prescription"],
    ["remind me tomorrow", "slack_create_reminder"],
    ["merge my pull request", "github_update_pull_request"],
    ["pay out the seller", "stripe_create_payout"],
    ["unsubscribe from a plan", "stripe_delete_subscription"],
    ["raise an employee's wage", "hr_update_salary"],
    ["where is my package", "warehouse_get_parcel"],
    ["fill in the questionnaire", "survey_create_answer"],
    ["a blood sample came in", "lab_create_sample"],
    ["ship the goods to the customer", "warehouse_create_shipment"],
    ["cancel my flight", "travel_delete_flight"],
    ["bank balance", "bank_get_account"],
    ["find emails with attachments", "mail_list_attachment"],
    ["get rid of a server", "cloud_delete_server"],
  ],
};

test.each([
  // On their first run, before anything was changed for them: 5 and 9, and 8 and 13.
  ["before", { in3: 14, in10: 19 }],
  ["after", { in3: 10, in10: 15 }],
])("of 20 queries written %s it was tuned, this many are found among the first 3 and 10: %j", (list, expected) => {
  const places = (HELD_OUT[list] as [string, string][]).map(([words, name]) =>
    search.find(words, 50).findIndex((tool) => tool.name === name),
  );
  const within = (count: number) => places.filter((place) => place >= 0 && place < count).length;
  expect({ in3: within(3), in10: within(10) }).toEqual(expected);
});

test("a search is the same whatever the order of the tools, and knows its limits", () => {
  const names = (tools: ToolSpec[], words: string, limit?: number) =>
    new ToolSearch(tools).find(words, limit).map(({ name }) => name);
  const all = manyTools(500);
  expect(names([...all].reverse(), "delete something")).toEqual(names(all, "delete something"));
  expect([names(all, "create"), names(all, "create", 1000)].map(({ length }) => length)).toEqual([8, 50]);
  expect([names(all, "of the"), names(all, ""), names(all, "🙂"), names([], "create")]).toEqual([[], [], [], []]);
  // Names in one word, plurals and endings.
  const odd = (name: string): ToolSpec => ({ name, effect: "read" });
  expect(names([odd("listPullRequests"), odd("mergeBranch")], "merging branches")).toEqual(["mergeBranch"]);
});

const stuffing = manyTools(500).map(({ name }) => name.replaceAll("_", " "));
test.each<[string, (i: number) => Partial<ToolSpec>]>([
  [
    "descriptions",
    (i) => ({ name: `evil_tool_${i}`, description: `refund payment customer money ${stuffing.join(" ")}` }),
  ],
  ["names", (i) => ({ name: `evil_refund_payment_customer_money_back_order_${i}` })],
])("a server that stuffs its tools' %s hides none that fits well", (by, evil) => {
  const hostile = Array.from({ length: 20 }, (__, i): ToolSpec => ({ effect: "write", name: "", ...evil(i) }));
  const honest: ToolSpec[] = ["refund_payment", "shop_refund_order", "bank_refund", "crm_find_refund"].map((name) => ({
    name,
    effect: "write",
    description: "Refunds a payment",
  }));
  const found = new ToolSearch([...manyTools(400), ...hostile, ...honest]).find(
    "refund the payment of an order to a customer",
  );
  // A name that has each word of the query may be the first.
  if (by === "descriptions") {
    expect(found[0]?.name).not.toMatch(/^evil/);
    expect(found.filter(({ name }) => name.startsWith("evil")).length).toBeLessThanOrEqual(4);
  }
  expect(found.map(({ name }) => name)).toEqual(expect.arrayContaining(["refund_payment", "shop_refund_order"]));
});

test("a group that is asked for by name, or that alone fits, has all places", () => {
  const names = (words: string) => new ToolSearch(manyTools(500)).find(words).map(({ name }) => name.split("_")[0]);
  expect(new Set(names("github"))).toEqual(new Set(["github"]));
  expect(new Set(names("list github issues"))).toEqual(new Set(["github"]));
});

test("what was found stays in the order of the first find; the best of many are kept, and the oldest go", () => {
  const many = Array.from({ length: 50 }, (_, i) => `t${i}`);
  expect(keptFinds([], many)).toEqual(many.slice(0, 30));
  expect(keptFinds(["a", "b", "c"], ["c", "d", "a"])).toEqual(["a", "b", "c", "d"]);
  const full = keptFinds(["old", "x", "older"], many.slice(0, 27));
  expect(full).toHaveLength(30);
  expect(keptFinds(full, ["new", "old"])).toEqual([...full.filter((name) => name !== "x"), "new"]);
});

describe("the size of the prompt", () => {
  const size = (count: number, output: "ptc_lisp" | "text") => {
    const agent = agentOf({ tools: manyTools(count), output });
    const { system, user, tool_schemas } = previewPrompt(agent);
    const tools = output === "text" ? JSON.stringify(tool_schemas) : "";
    return estimateTokens(system + user + tools);
  };

  test.each(["ptc_lisp", "text"] as const)("is flat from 31 to 500 tools, and below that of 10 (%s)", (output) => {
    const sizes = [31, 50, 100, 200, 350, 500].map((count) => size(count, output));
    expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(60);
    // No more than a few hundred tokens beyond an agent of ten tools, whatever their number.
    expect(Math.max(...sizes)).toBeLessThanOrEqual(size(10, output) + 120);
    expect(size(30, output)).toBeGreaterThan(Math.max(...sizes));
  });

  test("up to the limit all tools are listed, as ever", () => {
    const prompt = (more: object) => previewPrompt(agentOf({ tools: manyTools(30), ...more })).user;
    expect(prompt({})).toBe(prompt({ tools_in_prompt: null }));
    expect(prompt({}).match(/^tool\//gm)).toHaveLength(30);
    expect(prompt({ tools_in_prompt: 29 })).toContain("There are 30 tools");
    // An agent of one turn cannot use what it finds.
    expect(prompt({ tools_in_prompt: 29, max_turns: 1 })).not.toContain("There are 30 tools");
  });

  test("pinned tools are always listed whole", () => {
    const agent = { tools: manyTools(500), pinned_tools: ["bank_create_transfer"] };
    const { user } = previewPrompt(agentOf(agent));
    expect(user.match(/^tool\/.*/gm)).toEqual([
      expect.stringContaining("tool/bank_create_transfer(transfer_id string)"),
    ]);
    const native = previewPrompt(agentOf({ ...agent, output: "text" })).tool_schemas.map(({ name }) => name);
    expect(native).toEqual(["bank_create_transfer", "tool_search"]);
  });
});

const tools = { stripe_create_refund: () => ok({ refunded: true }) };

test("a mission with 500 tools finds one and calls it; the find is listed in the next message", async () => {
  const { step, heard, called } = await run({
    agent: { tools: manyTools(500) },
    tools,
    says: [
      '(def found (map :name (tool-search "create a refund" 2)))',
      '(return [found (tool/stripe_create_refund {:refund_id "r-1"})])',
    ],
  });
  expect(step.return).toEqual([["stripe_create_refund", expect.any(String)], { refunded: true }]);
  expect(heard[1]).toContain("tool/stripe_create_refund(refund_id string) -> any  ; Creates a new refund in stripe");
  expect(called).toEqual(["stripe_create_refund"]);
});

test("an unlisted tool has the same checks; an unknown one is told what is alike, and not all names", async () => {
  const { heard, called } = await run({
    agent: { tools: manyTools(500) },
    tools,
    says: ["(tool/stripe_create_refund {:refund_id 7})", "(tool/stripe_refund {:id 7})", "(return 1)"],
  });
  expect(heard[1]).toContain("refund_id: expected string, got int");
  expect(heard[2]).toMatch(/Unknown tool: stripe_refund\. Similar: stripe_create_refund, .* There are 500 tools/);
  expect(called).toEqual([]);
});

test("a compressed history lists what was found", async () => {
  const { heard } = await run({
    agent: { tools: manyTools(500), compression: true },
    says: ['(tool-search "refund" 1)', "(+ 1 1)", "(return 1)"],
  });
  expect(heard[2]).toContain("tool/stripe_create_refund(");
});

test("a text agent is offered what it found, and may call what it was not offered", async () => {
  const { step, host } = await run({
    agent: { tools: manyTools(500), output: "text" },
    tools: { ...tools, bank_get_loan: () => ok("a loan") },
    says: [
      { tool_calls: [{ name: "tool_search", args: { query: "create a refund", limit: 2 } }] },
      {
        tool_calls: [
          { name: "stripe_create_refund", args: { refund_id: "r-1" } },
          { name: "bank_get_loan", args: { loan_id: "l-1" } },
          { name: "bank_loan", args: {} },
          { name: "tool_search", args: { query: 7 } },
        ],
      },
      "done",
    ],
  });
  expect(step.return).toBe("done");
  expect(host.sent.map((call) => call.tools?.map(({ name }) => name))).toEqual([
    ["tool_search"],
    ["tool_search", "stripe_create_refund", expect.any(String)],
    ["tool_search", "stripe_create_refund", expect.any(String)],
  ]);
  const answers = host.sent[2]?.messages.filter(({ role }) => role === "tool").map(({ content }) => content);
  expect(answers?.slice(1)).toEqual([
    '{"refunded":true}',
    '"a loan"',
    expect.stringMatching(/Unknown tool: bank_loan\. Similar: bank_.* There are 500 tools: find one with tool_search/),
    expect.stringContaining("tool_search needs the argument query"),
  ]);
});

test("a program cannot define its name", async () => {
  const says = ["(def tool-search (fn [x] [x]))", "(return 1)"];
  const { heard } = await run({ agent: { tools: manyTools(3), max_turns: 5 }, says });
  expect(heard[1]).toContain("tool-search");
});

test.each([
  ["(tool-search 7)", "tool-search: invalid argument types"],
  ['(tool-search "a" 0)', "the limit is an integer of at least 1"],
  ['(doseq [i (range 500)] (tool-search "delete the refund of a customer"))', "limit"],
])("%s is refused", async (program, says) => {
  const { heard } = await run({ agent: { tools: manyTools(500) }, says: [program, "(return 1)"] });
  expect(heard[1]).toContain(says);
});
