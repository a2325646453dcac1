import { type Block, BlockingTools, onBlock, untilFirstWait } from "../../../src/node/heartbeats/blocking-tools";

const never = () => new Promise<never>(() => {});

/** The clock of the process stands: each test advances it. */
let now = 0;
beforeEach(() => {
  jest.spyOn(performance, "now").mockImplementation(() => now);
});
afterEach(() => jest.restoreAllMocks());

/** Computes for so long. */
const compute = (ms: number) => {
  now += ms;
};

test("the tool that computed before its first wait is named, and no other one that ran at that time", () => {
  const tools = new BlockingTools();
  const reported: Block[] = [];
  onBlock((block) => reported.push(block));
  void tools.during("pay", never);
  void tools.during("sum", async () => untilFirstWait("sum", () => compute(6_000)));
  expect(tools.turned(6_000, 6_000)).toEqual({ blocked_ms: 6_000, tools: ["sum"] });
  expect(reported).toEqual([{ blocked_ms: 6_000, tools: ["sum"] }]);
});

test("after its first wait a tool is one of those that ran at that time, also if it has ended", async () => {
  const tools = new BlockingTools();
  void tools.during("pay", never);
  await tools.during("sum", async () => {
    await null;
    compute(6_000);
  });
  expect(tools.turned(6_000, 6_000)).toEqual({ blocked_ms: 6_000, tools: ["pay", "sum"] });
  compute(100);
  expect(tools.turned(2_000, 2_000)).toEqual({ blocked_ms: 2_000, tools: ["pay"] });
});

test.each([
  { title: "a short block", late_ms: 900, cpu_ms: 900 },
  { title: "a block in which the machine gave the process no time", late_ms: 6_000, cpu_ms: 2_000 },
])("$title is not reported", ({ late_ms, cpu_ms }) => {
  const tools = new BlockingTools();
  void tools.during("sum", never);
  expect(tools.turned(late_ms, cpu_ms)).toBeNull();
});

test("a block while no tool runs names none", () => expect(new BlockingTools().turned(6_000, 6_000)).toBeNull());
