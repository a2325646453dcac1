// The words that Navigator does not use, and where they still are. `node test/docs/words.cjs` counts them by file,
// `src/mcp` shows the lines of a folder.
// Identifiers count too: their parts in camelCase and snake_case are words.
const { readdirSync, readFileSync, statSync } = require("node:fs");
const path = require("node:path");

const ROOT = path.join(__dirname, "../..");

/** What each group of words is called instead. */
const WORDS = [
  {
    not: "tell tells telling told hear hears hearing heard unheard say says saying said",
    but: "report, publish, record, show, receive, return",
  },
  { not: "deed deeds", but: "effect" },
  { not: "hold holds holding held", but: "pause (a run), reserve (a budget), cache (a conversation), claim (a task)" },
  { not: "lane lanes", but: "agent scope" },
  { not: "meant", but: "matched" },
  { not: "stretch stretches ahead", but: "call sequence, precomputed" },
  { not: "carrier carriers carried rides", but: "pending changes, continue-as-new state" },
  {
    not: "room rooms tick ticks poke pokes poked put puts putting purse purses lend lends lent",
    but: "event budget, advance, recheck, set, budget, delegate",
  },
  {
    not: "goes_on go_on going_on went_on gone_on beside behind meanwhile",
    but: "continues, in parallel, after, during that time",
  },
  { not: "whoever whom of_which what_waits what_was_made", but: "the person who ..., whose, the calls that were made" },
  { not: "by_itself by_themselves of_its_own of_their_own", but: "automatically, separate" },
];

/** Uses that stay, each with its reason. `in` has beginnings of paths; without it the use is exempt everywhere. */
const EXEMPT = [
  { use: /\bPUT\b|"put"|PutObject\w*/g, why: "a method of HTTP and a command of S3" },
  { use: /write[-_]ahead/gi, why: "SQLite's name of its log" },
  { use: /look(?:ing)?[ -]?(?:ahead|behind)s?/gi, why: "the name in the language of regular expressions" },
  {
    use: /\b(?:TraceCarrier|traceCarrierOf|contextOfCarrier|carrier)\b/g,
    in: ["src/node/telemetry", "src/core/history/spans"],
    why: "OpenTelemetry's name of what a trace context travels in",
  },
  { use: /\bcarrier\b/g, in: ["examples/order"], why: "the company that ships the parcels" },
  { use: /\brooms?\b|company said/g, in: ["examples/research"], why: "the rooms of a house, and quotations" },
  { use: /war_room/g, in: ["catalog", "docs/catalog.md"], why: "the word of people who handle incidents" },
  {
    use: /\bunheard\b/g,
    in: ["src/cli/commands/review-list", "docs/reference/approvals.md"],
    why: "recorded: field of a review",
  },
  { use: /\blane\b/g, in: ["src/cli/commands/undo", "docs/reference/effects.md"], why: "recorded: field of an effect" },
  { use: /`deed`/g, in: ["docs/reference/effects.md"], why: "recorded: field of an entry of the ledger" },
  {
    use: /`carried`/g,
    in: ["docs/reference/engine.md"],
    why: "recorded: field of the input of a run that continues another one",
  },
  { use: /`held`/g, in: ["docs/reference/engine.md"], why: "recorded: query of the guard of an effect" },
  {
    use: /\btold\b/g,
    in: ["src/cli/show/render-missions", "page/src/views/mission/turns"],
    why: "on the wire: field of a turn of a story",
  },
  { use: /\bsaid(?=: \{ choice)/g, in: ["src/cli/show/review-course"], why: "recorded: field of a refused signal" },
  {
    use: /\bsaid\b/g,
    in: ["src/web/routes/inbox/review-card", "page/src/views/inbox", "page/src/mcp-app/inbox"],
    why: "on the wire: field of a review and of its reasons",
  },
  { use: /\bheld\b/g, in: ["src/web/routes/queue", "page/src/views/queue"], why: "on the wire: field of the queue" },
  { use: /`heard: true`/g, in: ["docs/agents.md"], why: "on the wire: field of the details of an error" },
  {
    use: /\bhold(?:_7)?\b|\bHold (?:and mail|stock)|\b2 held/g,
    in: ["docs/agents.md"],
    why: "quotations of an example that the tests run, and of its output",
  },
  { use: /\bheld_by\b|"held"/g, why: "recorded: field of an entry of the ledger, and a state of a shared effect" },
  { use: /\bunheard\b/g, in: ["src/core/review"], why: "recorded: field of a review" },
  {
    use: /\b(?:deed|lanes?|agent_lanes|lent|carried)\b/g,
    in: ["src/core/effects", "src/core/history"],
    why: "recorded: fields of entries of the ledger, of a packed ledger, and of the input of a run",
  },
  {
    use: /\b(?:deed|lanes?|carried)\b/g,
    in: ["src/simulate", "src/client/runs", "prove/effects"],
    why: "recorded: fields of entries of the ledger, and of the input of a run",
  },
  {
    use: /\bsaid\b/g,
    in: [
      "src/core/history/read/refused-signals",
      "src/core/history/why/asking-turn",
      "src/client/history",
      "src/client/review/review-reasons",
    ],
    why: "on the wire: field of the reasons of a review and of an effect",
  },
  { use: /\btold\b/g, in: ["src/core/history/trace/story"], why: "on the wire: field of a turn of a story" },
  { use: /\bheard\b/g, in: ["src/simulate/memory-model"], why: "recorded: field of the details of a failure" },
  { use: /\bheld\b(?=:)/g, in: ["src/client/tasks/overview"], why: "on the wire: field of the answer of /api/queue" },
  {
    use: /\b(?:lanes?|lent)\b/g,
    in: ["src/core/graph"],
    why: "recorded: fields of the input of a task and of what it undoes",
  },
  {
    use: /\bcarried\b(?=: like)/g,
    in: ["src/core"],
    why: "recorded: field of the input of a run that continues another one",
  },
  {
    use: /\bcarried\b/g,
    in: ["src/workflows"],
    why: "recorded: field of the input of a run that continues another one",
  },
  {
    use: /\blane(?=:)|\blanes\b/g,
    in: ["src/workflows", "src/core/agent/definition", "src/core/agent/run", "src/core/plan/definition"],
    why: "recorded: fields of the input of a run and of what a task undoes",
  },
  {
    use: /\blent\b/g,
    in: ["src/core/agent/effects", "src/core/plan/definition"],
    why: "recorded: fields of an entry of the ledger and of the state of a plan",
  },
  {
    use: /\bdeed\b/g,
    in: ["src/core/agent/effects", "src/activities/claim-effect", "src/workflows/agent/tool-calls"],
    why: "recorded: field of an entry of the ledger",
  },
  {
    use: /\bheld\b/g,
    in: ["src/workflows/agent/budget", "src/workflows/messages"],
    why: "recorded: field of the signals that reserve a budget",
  },
  {
    use: /\bheld\b/g,
    in: ["src/core/agent/run/run-program"],
    why: "recorded: field of the state of a program",
  },
  { use: /\btold_log\b/g, in: ["src/core/agent"], why: "recorded: field of the state of a run" },
  {
    use: /\bsaid\b(?=: Message|: \{ role| \}: TurnDraft|\]|\.content|\.replay|,)/g,
    in: ["src/core/agent/run", "src/core/agent/result/turn"],
    why: "recorded: field of a turn in progress",
  },
  { use: /\bunheard\b/g, in: ["src/workflows/outbox"], why: "recorded: field of a review" },
  {
    use: /\bheard(?=[:\]]| ===)/g,
    in: ["src/workflows/failures", "src/activities/call-model", "src/core/agent/run"],
    why: "recorded: detail of the failure of a model call",
  },
  {
    use: /\$\{by\} said/g,
    in: ["src/core/agent"],
    why: "recorded: a message about the answer of a person",
  },
  { use: /guard_not_told|effect_held/g, in: ["src"], why: "on the wire: an event of the log and a type of failure" },
  {
    use: /\bTraceCarrier\b|\b(?:contextOf|trace)Carrier\w*/g,
    in: ["src/workflows/telemetry"],
    why: "OpenTelemetry's name of what a trace context travels in",
  },
  { use: /\bticks\b(?=:)/g, in: ["page/src/views/costs"], why: "an option of the library that draws the chart" },
  { use: /recorded_meanwhile/g, why: "code of a warning in results" },
];

const PLACES = [
  "src",
  "prove",
  "page",
  "docs",
  "examples",
  "templates",
  "plugins",
  "catalog",
  "README.md",
  "CONTRIBUTING.md",
  "AGENTS.md",
];
const READ = /\.(?:ts|tsx|js|mjs|cjs|md|mdc|json|css|html|ya?ml|sh|lisp)$/;
/** Generated from src, or installed. */
const SKIPPED =
  /(?:^|\/)(?:node_modules|dist|docs\/api|create-navigator-agents\/templates)$|price-table\.json$|package-lock\.json$/;

const pattern = new RegExp(
  `(?<![a-z])(?:${WORDS.flatMap(({ not }) => not.split(" "))
    .join("|")
    .replaceAll("_", "[\\s*/#]+")})(?![a-z])`,
  "g",
);

function filesBelow(place) {
  if (SKIPPED.test(place)) return [];
  if (!statSync(path.join(ROOT, place)).isDirectory()) return READ.test(place) ? [place] : [];
  return readdirSync(path.join(ROOT, place))
    .sort()
    .flatMap((name) => filesBelow(`${place}/${name}`));
}

/** The text in lower case, exempt uses left out, identifiers taken apart; lines stay where they are. */
function plainText(file, text) {
  const left = EXEMPT.filter((one) => one.in?.some((place) => file.startsWith(place)) ?? true).reduce(
    (all, { use }) => all.replaceAll(use, "-"),
    text,
  );
  return left
    .replace(/([a-z0-9])([A-Z])/g, "$1-$2")
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1-$2")
    .toLowerCase();
}

/** The uses in one text: the word and its line. */
function wordsOf(file, text) {
  const plain = plainText(file, text);
  return [...plain.matchAll(pattern)].map((match) => ({
    word: match[0].replace(/[\s*/#]+/g, " "),
    line: plain.slice(0, match.index).split("\n").length,
  }));
}

/** How often each file uses one of the words; files without any are left out. */
function countWords() {
  const counts = PLACES.flatMap(filesBelow).map((file) => [
    file,
    wordsOf(file, readFileSync(path.join(ROOT, file), "utf8")).length,
  ]);
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

function showLines(place) {
  for (const file of filesBelow(place)) {
    const text = readFileSync(path.join(ROOT, file), "utf8");
    for (const { word, line } of wordsOf(file, text))
      console.log(`${file}:${line} [${word}] ${text.split("\n")[line - 1].trim()}`);
  }
}

/** Folders of src and src/core count as one, and so does everything else by its first folder. */
const areaOf = (file) =>
  file
    .split("/")
    .slice(0, file.startsWith("src/core/") ? 3 : file.startsWith("src/") ? 2 : 1)
    .join("/");

function main(args) {
  const place = args.find((arg) => !arg.startsWith("--"));
  if (place) return showLines(place);
  const counts = countWords();
  const areas = {};
  for (const [file, count] of Object.entries(counts)) areas[areaOf(file)] = (areas[areaOf(file)] ?? 0) + count;
  for (const [name, count] of Object.entries(args.includes("--areas") ? areas : counts))
    console.log(`${count}\t${name}`);
  console.log(`${Object.values(counts).reduce((sum, count) => sum + count, 0)}\tall`);
}

module.exports = { EXEMPT, WORDS, countWords, wordsOf };
if (require.main === module) main(process.argv.slice(2));
