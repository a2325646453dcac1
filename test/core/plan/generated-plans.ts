/** Sound plans as models might write them: the same for the same seed. */

export interface RawTask {
  id: string;
  agent?: string;
  type?: string;
  input: unknown;
  depends_on: string[];
  signature?: string;
  verification?: string;
  on_verification_failure?: string;
  on_failure?: string;
  max_retries?: number;
  [field: string]: unknown;
}

export interface RawPlan {
  agents: { [name: string]: { prompt: string; tools: string[] } };
  tasks: RawTask[];
}

/** Park and Miller's generator. */
export function dice(seed: number): (sides: number) => number {
  let state = (seed * 7919 + 17) % 2_147_483_647;
  return (sides) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % sides;
  };
}

export const TOOLS = [
  { name: "search", effect: "read", signature: "(q :string) -> [:string]" },
  { name: "stock", effect: "read" },
  { name: "note", effect: "write" },
  { name: "pay", effect: "irreversible" },
  { name: "ship", effect: "irreversible", approval: true },
];

const TOPICS = ["ferries", "lamps", "members", "refunds", "bookings", "parcels", "meters"];

/** Five to some fifteen tasks: looked up, computed, summed up, decided, done. */
export function soundPlan(seed: number): RawPlan {
  const roll = dice(seed);
  const topic = () => TOPICS[roll(TOPICS.length)];
  const agents = {
    finder: { prompt: `You know all about ${topic()}.`, tools: roll(2) ? ["search", "stock"] : ["search"] },
    writer: { prompt: "You write short sentences.", tools: [] },
    payer: { prompt: "You pay what is due.", tools: roll(2) ? ["pay"] : ["pay", "note"] },
    sender: { prompt: "You send parcels.", tools: ["ship"] },
  };
  const finds = Array.from(
    { length: 2 + roll(5) },
    (_, i): RawTask => ({
      id: `find_${i}`,
      agent: "finder",
      input: `How many ${topic()} are there in group ${i}?`,
      depends_on: i > 1 && roll(2) ? [`find_${roll(i)}`] : [],
      signature: "{n :int, names [:string]}",
      verification: '(if (>= (get data/result "n") 0) true "that cannot be")',
      on_failure: ["retry", "skip", "replan", "stop"][roll(4)] as string,
      max_retries: 1 + roll(3),
    }),
  );
  const all = finds.map(({ id }) => id);
  const total: RawTask = {
    id: "total",
    agent: "direct",
    input: `(+ ${all.map((id) => `(get-in data/results ["${id}" "n"])`).join(" ")})`,
    depends_on: all,
    signature: ":int",
    on_failure: "replan",
  };
  const summary: RawTask = {
    id: "summary",
    type: "synthesis_gate",
    input: "Sum it up",
    depends_on: [...all, "total"],
    signature: "{text :string, n :int}",
  };
  const ok: RawTask = {
    id: "ok",
    type: "human_review",
    input: "{{results.summary.text}} Pay for {{results.total}}?",
    depends_on: ["summary", "total"],
    verification: '(if (get data/result "approved") true "not wanted")',
    on_verification_failure: "stop",
  };
  const rest: RawTask[] = [
    {
      id: "pay",
      agent: "payer",
      input: "Pay for {{results.summary.n}}",
      depends_on: ["ok", "summary"],
      signature: "{tx :string}",
    },
    { id: "send", agent: "sender", input: "Send {{results.summary.n}} things", depends_on: ["summary"] },
    { id: "report", agent: "writer", input: "Paid: {{results.pay.tx}}", depends_on: ["pay"] },
  ];
  return {
    agents,
    tasks: [...finds, total, summary, ok, ...rest.slice(roll(2) ? 0 : 1, roll(2) ? 3 : 2)].filter(stands),
  };
}

/** The report is on the payment. */
const stands = ({ id }: RawTask, _: number, all: RawTask[]): boolean =>
  id !== "report" || all.some((task) => task.id === "pay");
