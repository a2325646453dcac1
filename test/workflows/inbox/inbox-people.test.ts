import { renameSync } from "node:fs";
import path from "node:path";
import { type Commands, openPlace, type Place, program } from "../../support/cli";
import { addPeople, commandsOfPeople } from "../../support/people-commands";
import { openReceiver, type Receiver } from "../../support/receivers";
import { until } from "../../support/until";

/** `navigator review list` in a project with people: for whom something waits, what is done, and who was not told. */

const TOOLS = {
  pay: { assignees: ["anna", "group:finance"], quorum: 2 },
  lead: { assignees: ["lead:finance"] },
  open: true,
  other: { assignees: ["dora"] },
};
const NAMES = ["anna", "ben", "carl", "dora"] as const;
type Name = (typeof NAMES)[number];

let place: Place;
let hook: Receiver;
let worker: Awaited<ReturnType<Place["startWorker"]>>;
let here: Commands;
let as: Record<Name | "zoe", Commands>;

/** What `review list` prints to somebody. */
const printed = async (commands: Commands, ...more: string[]) => {
  const { stdout, stderr } = await commands.run(["review", "list", ...more]);
  return { stdout, stderr };
};

const listed = async (commands: Commands, ...more: string[]) =>
  (await commands.json(["review", "list", ...more])).open.map((item: { mission: string }) => item.mission).sort();

beforeAll(async () => {
  // 410: it wants to hear nothing any more, so nothing is tried again.
  hook = await openReceiver(() => 410);
  place = await openPlace("inbox-people");
  place.write(
    "navigator.config.cjs",
    `const { defineTool } = require("navigator-agents");
     const tools = Object.entries(${JSON.stringify(TOOLS)}).map(([name, approval]) =>
       defineTool({ name, approval, effect: "write", signature: "() -> :int", run: () => 1 }));
     module.exports = { agents: "./agents", script: "./script.json", tools, notify: { webhook: { url: ${JSON.stringify(hook.url)} } } };`,
  );
  for (const tool of Object.keys(TOOLS))
    place.write(`agents/${tool}.yaml`, `prompt: Do it.\nsignature: "() -> :int"\ntools: [${tool}]\n`);
  const script = Object.keys(TOOLS).map((tool) => [tool, [program(`(return (tool/${tool} {}))`)]]);
  place.write("script.json", Object.fromEntries(script));
  ({ here, as } = commandsOfPeople(place, [...NAMES, "zoe"]));
  await addPeople({ here, as }, NAMES);
  await here.json(["people", "group", "finance", "--add", "anna", "--add", "ben", "--lead", "ben"]);
  await here.json(["people", "delegate", "anna", "carl", "--until", "2999-01-01"]);
  worker = await place.startWorker();
  // Nobody is logged in: whoever asks cannot decide.
  process.env.NAVIGATOR_IDENTITY = path.join(place.folder, "keys", "nobody");
  for (const tool of Object.keys(TOOLS)) await here.json(["run", tool, "--id", tool, "--detach"]);
  await until(async () => (await listed(here)).length === 4, "all ask");
});
afterAll(async () => {
  await worker?.stop();
  await hook?.close();
  place?.close();
});

test.each<[string[], string[]]>([
  [["--assignee", "anna"], ["agent/pay"]],
  [
    ["--assignee", "ben"],
    ["agent/lead", "agent/pay"],
  ],
  [["--assignee", "carl"], ["agent/pay"]],
  [["--assignee", "dora"], ["agent/other"]],
  [["--assignee", "group:finance"], ["agent/pay"]],
  [["--assignee", "lead:finance"], ["agent/lead"]],
  [["--assignee", "anyone"], ["agent/open"]],
  [["--assignee", "stranger"], []],
  [
    ["--group", "finance"],
    ["agent/lead", "agent/pay"],
  ],
  [["--group", "ops"], []],
  [
    ["--group", "finance", "--assignee", "dora"],
    ["agent/lead", "agent/other", "agent/pay"],
  ],
])("review list %j finds %j", async (options, found) => expect(await listed(here, ...options)).toEqual(found));

test.each<[Name, string[]]>([
  ["anna", ["agent/open", "agent/pay"]],
  ["ben", ["agent/lead", "agent/open", "agent/pay"]],
  ["carl", ["agent/open", "agent/pay"]],
  ["dora", ["agent/open", "agent/other"]],
])("--mine of %s: %j", async (name, found) => expect(await listed(as[name], "--mine")).toEqual(found));

test.each([
  ["pay", ["agent/pay"]],
  ["agent/pay", ["agent/pay"]],
  ["agent/nope", []],
])("--mission %s finds %j", async (mission, found) => expect(await listed(here, "--mission", mission)).toEqual(found));

test("--mission of an id that nothing has is refused", async () =>
  expect(await here.refused(["review", "list", "--mission", "nope"])).toMatchObject({ code: "not_found" }));

test("--mine of somebody whom the project does not know, or without people.yaml, says so", async () => {
  await as.zoe.json(["login", "--as", "zoe"]);
  expect(await printed(as.zoe, "--mine")).toEqual({
    stdout: 'Nothing waits for "zoe".\n',
    stderr: expect.stringContaining('"zoe" is not one of the project\'s people.'),
  });
  expect(await as.zoe.json(["review", "list", "--mine"])).toMatchObject({ open: [], unanswered: [] });
  const [file, away] = ["people.yaml", "people.away"].map((name) => path.join(place.folder, name)) as [string, string];
  renameSync(file, away);
  try {
    const { stdout, stderr } = await printed(as.anna, "--mine");
    expect(stderr).toContain('people.yaml names no people: what is for the groups of "anna" is not known');
    expect(stdout).toContain("agent/pay");
  } finally {
    renameSync(away, file);
  }
});

test("--mine needs somebody who is logged in, and goes with other options", async () => {
  expect(await listed(as.ben, "--mine", "--group", "finance")).toEqual(["agent/lead", "agent/pay"]);
  expect(await listed(as.dora, "--mine", "--assignee", "anna")).toEqual([]);
  await as.dora.json(["logout"]);
  expect(await as.dora.refused(["review", "list", "--mine"])).toMatchObject({ code: "not_logged_in" });
});

test("a message that reached nobody stands in the list", async () => {
  const told = await until(async () => {
    const { stdout } = await here.run(["review", "list", "--assignee", "lead:finance"]);
    return stdout.includes("did not reach") && stdout;
  }, "the failure is listed");
  expect(told).toMatch(/\nagent\/lead\/lead\/1: webhook did not reach 127\.0\.0\.1:\d+: the receiver answered 410\n$/);
});

describe("after a vote, without a worker", () => {
  beforeAll(async () => {
    await as.anna.json(["review", "decide", "agent/pay/pay/1", "approve"]);
    await until(async () => {
      const { open } = await here.json(["review", "list", "--assignee", "anna"]);
      return open[0]?.review.votes?.length === 1 && open[0].review.unheard;
    }, "the vote is listed");
    await worker.stop();
  });

  test.each<[Name, string[]]>([
    ["anna", ["agent/open"]],
    // Her vote was hers and his.
    ["carl", ["agent/open"]],
    ["ben", ["agent/lead", "agent/open", "agent/pay"]],
  ])("--mine of %s: %j", async (name, found) => expect(await listed(as[name], "--mine")).toEqual(found));

  test("the list for anna has it still, with her vote and with who was not told", async () => {
    const { open } = await here.json(["review", "list", "--assignee", "anna"]);
    expect(open).toMatchObject([
      {
        mission: "agent/pay",
        review: { votes: [{ by: "anna", choice: "approve" }], unheard: [{ channel: "webhook", given_up: true }] },
      },
    ]);
    const { stdout } = await here.run(["review", "show", "agent/pay/pay/1"]);
    expect(stdout).toMatch(/not notified +webhook to 127\.0\.0\.1:\d+: the receiver answered 410\n/);
    expect(stdout).toMatch(
      /vote +approve, by anna .*\n +what they changed, and why, needs a worker, and none answers\n/,
    );
  });

  test("--mine of somebody who has left lists nothing, and says why", async () => {
    await here.json(["people", "remove", "carl"]);
    expect(await printed(as.carl, "--mine")).toEqual({
      stdout: 'Nothing waits for "carl".\n',
      stderr: expect.stringContaining('"carl" has left the project, at '),
    });
  });
});
